import { count } from '../format-quantity.js';
import type { ReportEvaluation } from '../report-data.js';

/** A player with the success of its evaluation. */
interface Row {
  readonly name: string;
  readonly evaluation: Pick<ReportEvaluation, 'success' | 'clusters'>;
}

/** Names the method of each row's interval, and what it counts. */
export function intervalMethods(rows: readonly Row[]): string {
  const resampled = rows.filter(({ evaluation }) => evaluation.success.method === 'cluster-bootstrap');
  const wilson = rows.filter(({ evaluation }) => evaluation.success.method === 'wilson');
  // Then each cluster is one trial.
  const equal = wilson.filter(
    ({ evaluation: { clusters, success } }) => clusters !== undefined && (success.rate === 0 || success.rate === 1),
  );
  const single = wilson.filter((row) => !equal.includes(row));
  const clusters = [...new Set(rows.flatMap(({ evaluation }) => evaluation.clusters ?? []))].map(count).join(' or ');
  const of = (some: readonly Row[]) => (some.length === rows.length ? '' : `for ${namesOf(some)}, `);
  const methods = [
    ...(resampled.length > 0 ? [`a bootstrap over ${clusters === '' ? '' : `${clusters} `}clusters`] : []),
    ...(equal.length > 0
      ? [`${of(equal)}Wilson's interval over ${clusters} clusters, because all episodes have the same outcome`]
      : []),
    ...(single.length > 0 ? [`${of(single)}Wilson's interval over episodes`] : []),
  ];
  const meaning =
    clusters === '' ? '' : ' A cluster is a set of tasks that depend on each other, or all attempts at a task.';
  return `95 % intervals: ${methods.join('; ')}.${meaning}`;
}

function namesOf(rows: readonly Row[]): string {
  return rows.map(({ name }) => name).join(' and ');
}
