import { expect, it } from 'vitest';

import { intervalMethods } from './interval-methods.js';

const row = (name: string, rate: number, method: 'wilson' | 'cluster-bootstrap', clusters?: number) =>
  ({ name, evaluation: { success: { rate, low: 0, high: 1, episodes: 1491, method }, ...(clusters && { clusters }) } }) as const; // prettier-ignore

// Goes red when a reader cannot tell that an interval over 1,491 episodes counts 61 clusters.
it('names the rows of each method and what it counts', () => {
  const rows = [
    row('random', 0.2, 'cluster-bootstrap', 61),
    row('trained', 0.9, 'cluster-bootstrap', 61),
    row('oracle', 1, 'wilson', 61),
  ];
  expect(intervalMethods(rows)).toBe(
    "95 % intervals: a bootstrap over 61 clusters; for oracle, Wilson's interval over 61 clusters, " +
      'because all episodes have the same outcome. A cluster is a set of tasks that depend on each other, or all attempts at a task.',
  );
  expect(intervalMethods([row('random', 0.2, 'wilson'), row('oracle', 1, 'wilson')])).toBe(
    "95 % intervals: Wilson's interval over episodes.",
  );
});
