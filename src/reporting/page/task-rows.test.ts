import { expect, it } from 'vitest';

import type { ReportRun } from '../report-data.js';
import { flipOf, taskGroups, taskRows } from './task-rows.js';

const run = (start: (number | null)[], policy: number[], warm: number[]) =>
  ({
    tasks: {
      split: 'test',
      task: ['a', 'b', 'c'],
      played: [
        { player: 'start', temperature: 0, success: start },
        { player: 'policy', temperature: 0, success: policy },
        { player: 'policy', temperature: 1, success: warm },
      ],
    },
  }) as unknown as ReportRun;

// Goes red when an episode at another temperature counts as a flip, or when runs without a value count as losses.
it('puts the hardest tasks first, and tells flips at the lowest temperature', () => {
  const rows = taskRows([run([1, 0, null], [0, 1, 1], [0, 0, 1])]);
  expect(rows.map(({ task, before, after }) => [task, before, after])).toEqual([
    ['a', 1, 0],
    ['b', 0, 1],
    ['c', null, 1],
  ]);
  expect(rows.map(flipOf)).toEqual(['lost', 'won', undefined]);
});

// Goes red when the first rows of a page have no episodes to open although others that are as hard have some.
it('puts tasks with recorded episodes before tasks that are as hard', () => {
  const rows = taskRows(
    [run([0, 0, 0], [0, 0, 1], [0, 0, 1])],
    new Map([
      ['b', 2],
      ['c', 9],
    ]),
  );
  expect(rows.map(({ task }) => task)).toEqual(['b', 'a', 'c']);
});

it('takes the mean over runs', () => {
  const [hardest] = taskRows([run([1, 0, 1], [0, 1, 1], [0, 0, 1]), run([1, 1, 1], [1, 1, 1], [1, 1, 1])]);
  expect(hardest).toEqual({ task: 'a', before: 1, after: 0.5, trained: 0.5, ever: 4 / 6 });
});

// Goes red when tasks of different splits or environments are listed as one set.
it('keeps apart runs that were tested on different tasks', () => {
  const tested = (label: string, finalTasks: string, split: string, task: readonly string[] = []) =>
    ({
      ...run([0, 0, 0], [1, 1, 1], [1, 1, 1]),
      label,
      finalTasks,
      tasks: { split, task, played: [] },
    }) as ReportRun;
  const splits = [tested('a', '1', 'test'), tested('b', '2', 'validation'), tested('c', '2', 'validation')];
  expect(taskGroups(splits).map(({ name, runs }) => [name, runs.map(({ label }) => label).join()])).toEqual([
    ['test split', 'a'],
    ['validation split', 'b,c'],
  ]);
  const worlds = [tested('a', '1', 'test'), tested('b', '2', 'test'), tested('c', '2', 'test')];
  expect(taskGroups(worlds).map(({ name }) => name)).toEqual(['tasks of a', 'tasks of b and 1 more']);
  const options = [tested('a', '1', 'test', ['x', 'y']), tested('b', '1', 'test', ['y', 'x']), tested('c', '1', 'test', ['z'])]; // prettier-ignore
  expect(taskGroups(options).map(({ name }) => name)).toEqual(['tasks of a and 1 more', 'tasks of c']);
});
