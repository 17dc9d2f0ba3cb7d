import type { LiveName, Loss, LossExpression, LossInputName } from '@agentgym/cli';

/** Operations that read whole rows, so that the number of rows is part of the graph. */
const OF_ROWS: ReadonlySet<LossExpression['op']> = new Set(['sequenceSum', 'sequenceMean', 'pairDifference']);

export interface LossTraits {
  /** Equal for losses that compute the same. Subtrees are numbered, so that a shared subtree is written once. */
  readonly key: string;
  readonly readsRows: boolean;
  /** Columns of the batch that it reads. */
  readonly reads: readonly LossInputName[];
  /** Live quantities that its terms read. Metrics may read others. */
  readonly live: readonly LiveName[];
  /** Whether rows are compared in pairs. */
  readonly readsPairs: boolean;
}

/** The properties of a loss that a graph depends on. */
export function lossTraits({ terms, metrics = {} }: Loss): LossTraits {
  const numbers = new Map<LossExpression, number>();
  const lines: string[] = [];
  const operations = new Set<LossExpression['op']>();
  const reads = new Set<LossInputName>();
  const live = new Set<LiveName>();
  const visit = (expression: LossExpression): number => {
    const known = numbers.get(expression);
    if (known !== undefined) return known;
    operations.add(expression.op);
    if (expression.op === 'batch') reads.add(expression.name);
    if (expression.op === 'live') live.add(expression.name);
    const parts = Object.entries(expression).map(([name, value]) =>
      typeof value === 'object' ? `${name}#${visit(value as LossExpression)}` : `${name}=${String(value)}`,
    );
    numbers.set(expression, lines.length);
    lines.push(parts.join(' '));
    return lines.length - 1;
  };
  const visitAll = (named: { readonly [name: string]: LossExpression }) =>
    Object.entries(named).map(([name, expression]) => `${JSON.stringify(name)}#${visit(expression)}`);
  const rootsOfTerms = visitAll(terms);
  const liveInTerms = [...live];
  const roots = [rootsOfTerms, visitAll(metrics)];
  return {
    key: JSON.stringify([roots, lines]),
    live: liveInTerms,
    readsRows: [...operations].some((operation) => OF_ROWS.has(operation)),
    reads: [...reads],
    readsPairs: operations.has('pairDifference'),
  };
}
