import type { LabelledSuccess } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { successRate } from './success-rate.js';
import type { TaskOutcome } from './task-outcome.js';

/**
 * Success on the tasks of each value of a label. Numbers come first in their order, then texts by code unit. Tasks
 * without the label are left out.
 *
 * @param labelOf returns the label's value of a task
 * @param attempts number of attempts at each task
 */
export function successByLabel(
  outcomes: readonly TaskOutcome[],
  labelOf: (outcome: TaskOutcome) => string | number | undefined,
  attempts: number,
  random: Random,
): LabelledSuccess[] {
  const byValue = new Map<string | number, TaskOutcome[]>();
  for (const outcome of outcomes) {
    const value = labelOf(outcome);
    if (value === undefined) continue;
    const group = byValue.get(value);
    if (group === undefined) byValue.set(value, [outcome]);
    else group.push(outcome);
  }
  return [...byValue]
    .sort(([a], [b]) => compareValues(a, b))
    .map(([value, group]) => {
      const success = successRate(group, attempts, random.stream(typeof value, value));
      return { value, tasks: group.length, success };
    });
}

/** Success by each axis for which the outcomes have labels; undefined if they have none. */
export function successByLabels(
  outcomes: readonly TaskOutcome[],
  attempts: number,
  random: Random,
): { readonly [axis: string]: readonly LabelledSuccess[] } | undefined {
  const axes = [...new Set(outcomes.flatMap(({ labels = {} }) => Object.keys(labels)))].sort();
  if (axes.length === 0) return undefined;
  return Object.fromEntries(
    axes.map((axis) => [axis, successByLabel(outcomes, ({ labels }) => labels?.[axis], attempts, random.stream(axis))]),
  );
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : 1;
}
