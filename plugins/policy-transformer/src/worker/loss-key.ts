import type { LiveName, Loss, LossExpression, LossInputName } from '@agentgym/cli';

/** What must stay together for a loss: its tokens may read their row only, their episode, or a pair of episodes. */
export type LossUnit = 'row' | 'episode' | 'pair';

const OF_EPISODES = ['sequenceSum', 'sequenceMean'] as const satisfies readonly LossExpression['op'][];

export interface LossTraits {
  /** Equal for losses that compute the same. Subtrees are numbered, so that a shared subtree is written once. */
  readonly key: string;
  /** With other units than rows, the number of episodes is part of the graph. */
  readonly unit: LossUnit;
  /** Columns of the batch that it reads. */
  readonly reads: readonly LossInputName[];
  /** Live quantities that its terms read. Metrics may read others. */
  readonly live: readonly LiveName[];
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
    unit: operations.has('pairDifference')
      ? 'pair'
      : OF_EPISODES.some((name) => operations.has(name))
        ? 'episode'
        : 'row',
    reads: [...reads],
  };
}
