import type { ReportEvaluation } from '../report-data.js';
import { count } from './format-number.js';

/** A player with the success of its evaluation. */
interface Row {
  readonly name: string;
  readonly evaluation: Pick<ReportEvaluation, 'success' | 'clusters'>;
}

/** Names the method of each row's interval, and what it counts. */
export function intervalNote(rows: readonly Row[]): string {
  const resampled = rows.filter(({ evaluation }) => evaluation.success.method === 'cluster-bootstrap');
  const wilson = rows.filter(({ evaluation }) => evaluation.success.method === 'wilson');
  // Then each cluster is one trial.
  const equal = wilson.filter(
    ({ evaluation: { clusters, success } }) => clusters !== undefined && (success.rate === 0 || success.rate === 1),
  );
  const single = wilson.filter((row) => !equal.includes(row));
  const clusters = [...new Set(rows.flatMap(({ evaluation }) => evaluation.clusters ?? []))].map(count).join(' or ');
  const of = (some: readonly Row[]) => (some.length === rows.length ? '' : ` for ${listOf(some)}`);
  const methods = [
    ...(resampled.length > 0 ? [`a bootstrap over ${clusters} clusters${of(resampled)}`] : []),
    ...(equal.length > 0
      ? [`Wilson's interval over ${clusters} clusters${of(equal)}, because all episodes have the same outcome`]
      : []),
    ...(single.length > 0 ? [`Wilson's interval over episodes${of(single)}`] : []),
  ];
  const meaning =
    clusters === '' ? '' : ' A cluster is a set of tasks that depend on each other, or all attempts at a task.';
  return `95 % intervals: ${methods.join('; ')}.${meaning}`;
}

function listOf(rows: readonly Row[]): string {
  const names = rows.map(({ name }) => name);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
