import { expect, it } from 'vitest';

import { createRandom } from '../random/create-random.js';
import { clusterBootstrapInterval } from '../statistics/cluster-bootstrap.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';
import { successByLabel, successByLabels } from './success-by-label.js';
import type { TaskOutcome } from './task-outcome.js';

const attempt = (success: boolean) => ({ success, return: Number(success), turns: 1, truncated: false });

const outcome = (task: string, labels: TaskOutcome['labels'], successes: readonly boolean[], cluster?: string) => ({
  task,
  ...(cluster !== undefined && { cluster }),
  ...(labels && { labels }),
  attempts: successes.map(attempt),
});

const random = () => createRandom(5).stream('labels');

it('tells success apart by each axis, with the interval of Wilson where tasks are independent', () => {
  const outcomes = [
    outcome('a', { kind: 'pick', depth: 10 }, [true]),
    outcome('b', { kind: 'pick', depth: 2 }, [false]),
    outcome('c', { kind: 'clean' }, [true]),
    outcome('d', undefined, [true]),
    outcome('e', { kind: 'pick', depth: 10 }, []),
  ];
  expect(successByLabels(outcomes, 1, random())).toEqual({
    // Numbers are sorted by size, not as texts. A task without the label is left out. A failed episode is in no
    // denominator.
    depth: [
      { value: 2, tasks: 1, success: { rate: 0, ...wilsonInterval(0, 1), episodes: 1, method: 'wilson' } },
      { value: 10, tasks: 2, success: { rate: 1, ...wilsonInterval(1, 1), episodes: 1, method: 'wilson' } },
    ],
    kind: [
      { value: 'clean', tasks: 1, success: { rate: 1, ...wilsonInterval(1, 1), episodes: 1, method: 'wilson' } },
      { value: 'pick', tasks: 3, success: { rate: 0.5, ...wilsonInterval(1, 2), episodes: 2, method: 'wilson' } },
    ],
  });
  expect(successByLabels([outcome('a', undefined, [true])], 1, random())).toBeUndefined();
});

// Mutation: leave the clusters out; the intervals become Wilson's.
it('bootstraps over the clusters of a value', () => {
  const outcomes = Array.from({ length: 40 }, (_, i) =>
    outcome(`task-${i}`, undefined, [i % 3 === 0], `cluster-${Math.floor(i / 4)}`),
  );
  const parity = ({ task }: TaskOutcome) => (Number(task.slice(5)) % 2 === 0 ? 'even' : 'odd');
  const [even, odd] = successByLabel(outcomes, parity, 1, random());
  const own = outcomes.filter((one) => parity(one) === 'even');
  const { mean, low, high } = clusterBootstrapInterval(
    own.map(({ attempts }) => Number(attempts[0]!.success)),
    own.map(({ cluster }) => cluster!),
    random().stream('string', 'even'),
  );
  expect(even).toEqual({
    value: 'even',
    tasks: 20,
    success: { rate: mean, low, high, episodes: 20, method: 'cluster-bootstrap' },
  });
  expect(odd!.success.method).toBe('cluster-bootstrap');
  expect(successByLabel(outcomes.toReversed(), parity, 1, random()).map(({ value }) => value)).toEqual(['even', 'odd']);
});

it('takes the attempts at one task for dependent', () => {
  const outcomes = Array.from({ length: 12 }, (_, i) => outcome(`task-${i}`, { kind: 'x' }, [true, i % 2 === 0]));
  const { kind } = successByLabels(outcomes, 2, random())!;
  expect(kind).toMatchObject([{ tasks: 12, success: { rate: 0.75, episodes: 24, method: 'cluster-bootstrap' } }]);
});

// Mutation: always use the bootstrap; the interval has width 0, because both clusters have the same rate.
it('does not take few clusters that agree for certainty', () => {
  const outcomes = ['one', 'two'].flatMap((cluster) =>
    [true, true, true, false].map((success, i) => outcome(`${cluster}-${i}`, { kind: 'x' }, [success], cluster)),
  );
  const { kind } = successByLabels(outcomes, 1, random())!;
  expect(kind![0]!.success).toEqual({ rate: 0.75, ...wilsonInterval(6, 8), episodes: 8, method: 'wilson' });
});

// Mutation: always use the bootstrap; the interval has width 0.
it('has an interval where all attempts came to the same', () => {
  const outcomes = ['a', 'b', 'c', 'd'].map((task) => outcome(task, { kind: 'x' }, [true], task < 'c' ? 'one' : 'two'));
  const { kind } = successByLabels(outcomes, 1, random())!;
  expect(kind![0]!.success).toEqual({ rate: 1, ...wilsonInterval(2, 2), episodes: 4, method: 'wilson' });
});
