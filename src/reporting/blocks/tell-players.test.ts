import { expect, it } from 'vitest';

import { terminalLines } from '../terminal-blocks.js';
import { playerBlocks, playersTable, type PlayerEvaluation, type PlayerRow } from './tell-players.js';

const plain = (width: number) => ({ width, colour: false });

function evaluation(rate: number, failed = 0): PlayerEvaluation {
  return {
    split: 'test',
    success: { rate, low: rate - 0.02, high: rate + 0.02, episodes: 1499, method: 'wilson' },
    return: { mean: rate, low: 0, high: 1 },
    turns: { mean: 3.25, low: 3, high: 4 },
    truncated: 0,
    invalid: 0.015,
    failed,
  };
}

const rows: readonly PlayerRow[] = [
  { name: 'random', evaluation: evaluation(0.183) },
  { name: 'trained', evaluation: evaluation(0.868), isAbout: true },
];
const table = (of: readonly PlayerRow[], width: number) => terminalLines([playersTable(of, '')], plain(width));

it('shows players under each other, and fewer columns where there is less room', () => {
  expect(table(rows, 80)).toEqual([
    'player   success  95 % interval  episodes  turns  return  invalid',
    'random    18.3 %   16.3 to 20.3     1,499    3.3    0.18    1.5 %',
    'trained   86.8 %   84.8 to 88.8     1,499    3.3    0.87    1.5 %',
  ]);
  expect(table(rows, 35)[2]).toBe('trained   86.8 %   84.8 to 88.8');
  expect(table(rows, 5)[2]).toBe('trained   86.8 %');
  // Turns, return and episodes give way before the share of invalid actions does.
  expect(table(rows, 45)).toEqual([
    'player   success  95 % interval  invalid',
    'random    18.3 %   16.3 to 20.3    1.5 %',
    'trained   86.8 %   84.8 to 88.8    1.5 %',
  ]);
  expect(table(rows, 35).slice(3)).toEqual(['invalid: random 1.5 %, trained 1.5 %']);
  expect(table([{ name: 'a', evaluation: evaluation(1, 3) }], 80)[0]).toMatch(/failed$/);
});

it('says how many answers were cut and failed, however long the names are', () => {
  const name = 'a-run-with-a-very-long-name, step 1200, from a-folder';
  const policy = { name, evaluation: { ...evaluation(0.5, 2), cut: 0.25, truncated: 0.1 } };
  expect(table([rows[0]!, policy], 160)[2]).toMatch(/ 10\.0 % +1\.5 % +25\.0 % +2$/);
  expect(table([rows[0]!, policy], 60).slice(3)).toEqual([
    `invalid: random 1.5 %, ${name} 1.5 %`,
    `cut: ${name} 25.0 %`,
    `failed: random 0, ${name} 2`,
  ]);
  expect(table([{ name, evaluation: { ...evaluation(1), cut: 0 } }], 120)[0]).not.toMatch(/cut|truncated/);
});

it('tells success apart by each label, the players of a value together', () => {
  const on = (rate: number, tasks: number) => ({ ...evaluation(rate).success, episodes: 2 * tasks });
  const start = { ...rows[0]!, name: 'start', isReference: true };
  const apart = [rows[0]!, start, rows[1]!].map((row) => ({
    ...row,
    evaluation: {
      ...row.evaluation,
      labels: {
        training: [
          { value: 'seen', tasks: 50, success: on(row.name === 'trained' ? 0.6 : 0.4, 50) },
          { value: 'unseen', tasks: 6, success: on(row.name === 'trained' ? 0.3 : 0.1, 6) },
        ],
        depth: [{ value: 2, tasks: 58, success: on(0.4, 58) }],
      },
    },
  }));
  expect(terminalLines(playerBlocks(apart, 'telling'), plain(80)).slice(6)).toEqual([
    '',
    'training  player   success  95 % interval  episodes  tasks',
    'seen      start     40.0 %   38.0 to 42.0       100     50',
    'seen      trained   60.0 %   58.0 to 62.0       100     50',
    'unseen    start     10.0 %    8.0 to 12.0        12      6',
    'unseen    trained   30.0 %   28.0 to 32.0        12      6',
    '',
    'depth    player   success  95 % interval  episodes  tasks',
    'depth 2  start     40.0 %   38.0 to 42.0       116     58',
    'depth 2  trained   40.0 %   38.0 to 42.0       116     58',
  ]);
  const all = terminalLines(playerBlocks(apart, 'all'), plain(80));
  expect(all).toContain('Tasks by training (2 values)');
  expect(all).toContain('seen      random    40.0 %   38.0 to 42.0       100     50');
  expect(terminalLines(playerBlocks(rows, 'telling'), plain(Infinity)).slice(3)).toEqual([
    "Test split, the same tasks for all. 95 % intervals: Wilson's interval over episodes.",
  ]);
});

// Goes red when a table by label hides the result above it.
it('shows only the values of a label that say something, and counts the others', () => {
  const success = (rate: number, tasks: number) => ({ ...evaluation(rate).success, episodes: tasks });
  const linesOf = (values: readonly (readonly [tasks: number, rate: number])[]) => {
    const width = values.map(([tasks, rate], i) => ({ value: i + 2, tasks, success: success(rate, tasks) }));
    const row = { name: 'trained', isAbout: true, evaluation: { ...evaluation(0.5), labels: { width } } };
    return terminalLines(playerBlocks([row], 'telling'), plain(Infinity)).slice(3);
  };
  const many = linesOf(Array.from({ length: 12 }, (_, i) => [30, 0.5 + 0.01 * ((i * 5) % 12)] as const));
  expect(many).toHaveLength(6);
  expect(many.slice(2, 5).map((line) => line.slice(0, 8).trim())).toEqual(['width 2', 'width 7', 'width 12']);
  expect(many[5]).toBe('The lowest by width: `--json` also has 9 other values.');
  const few = linesOf([[30, 0.5], [9, 1], [1, 0]]); // prettier-ignore
  expect(few).toHaveLength(4);
  expect(few[3]).toBe('By width: `--json` also has 2 values of fewer than 10 tasks.');
  expect(linesOf([[1, 0], [3, 1]])).toEqual(['By width: `--json` also has 2 values of fewer than 10 tasks.']); // prettier-ignore
  expect(linesOf([[30, 0.5], [30, 1]])).toHaveLength(4); // prettier-ignore
});
