import { expect, it } from 'vitest';

import type { EvaluationSummary } from '../contracts/evaluation.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { compareGames } from './compare-games.js';
import { displayWidth } from './display-text.js';
import { evaluationCurve } from './evaluation-curve.js';
import { intervalNote, labelLines, resultsTable } from './results-table.js';
import { printable, styleOf, type TerminalStyle } from './terminal-style.js';
import { sparkline, trainingCurve } from './training-curve.js';

const plain = (width: number): TerminalStyle => ({ width, colour: false });

function evaluation(rate: number, failed = 0): EvaluationSummary {
  return {
    split: 'test',
    temperature: 0,
    success: { rate, low: rate - 0.02, high: rate + 0.02, episodes: 1499, method: 'wilson' },
    return: { mean: rate, low: 0, high: 1 },
    turns: { mean: 3.25, low: 3, high: 4 },
    truncated: 0,
    invalid: 0.015,
    failed,
  };
}

function game(texts: readonly string[], success: boolean): CompletedEpisode {
  const facts = { success, invalid: false };
  const turns = texts.map((text, i) => ({
    observation: i === 0 ? 'Guess my number between 4 and 33. You have 5 turns.' : 'higher, 18 to 33',
    text,
    cut: false,
    reward: 0,
    components: {},
    native: 0,
    facts,
  }));
  const ending = { finalObservation: success ? 'correct' : 'lower, 18 to 20', terminated: true, success };
  return { iteration: 0, task: 't', group: 0, member: 0, status: 'completed', turns, ...ending, return: 0, retries: 0 };
}

const rows = [
  { name: 'random', evaluation: evaluation(0.183) },
  { name: 'trained', evaluation: evaluation(0.868), emphasis: true },
];

it('shows players under each other, and fewer columns where there is less room', () => {
  expect(resultsTable(rows, plain(80))).toEqual([
    '         success  95 % interval  episodes  turns  return  invalid',
    'random    18.3 %   16.3 to 20.3      1499    3.3    0.18    1.5 %',
    'trained   86.8 %   84.8 to 88.8      1499    3.3    0.87    1.5 %',
  ]);
  expect(resultsTable(rows, plain(35))[2]).toBe('trained   86.8 %   84.8 to 88.8');
  expect(resultsTable(rows, plain(5))[2]).toBe('trained   86.8 %');
  // Turns, return and episodes give way before the share of invalid actions does.
  expect(resultsTable(rows, plain(45))).toEqual([
    '         success  95 % interval  invalid',
    'random    18.3 %   16.3 to 20.3    1.5 %',
    'trained   86.8 %   84.8 to 88.8    1.5 %',
  ]);
  expect(resultsTable(rows, plain(35)).slice(3)).toEqual(['invalid: random 1.5 %, trained 1.5 %']);
  expect(resultsTable([{ name: 'a', evaluation: evaluation(1, 3) }], plain(80))[0]).toMatch(/failed$/);
  expect(intervalNote(rows)).toBe('test split; 95 % intervals: Wilson');
});

it('says how many answers were cut and failed, however long the names are', () => {
  const name = 'a-run-with-a-very-long-name, step 1200, from a-folder';
  const policy = { name, evaluation: { ...evaluation(0.5, 2), cut: 0.25 } };
  expect(resultsTable([rows[0]!, policy], plain(120))[2]).toMatch(/ 1\.5 % {2}25\.0 % {7}2$/);
  expect(resultsTable([rows[0]!, policy], plain(60)).slice(3)).toEqual([
    `invalid: random 1.5 %, ${name} 1.5 %`,
    `cut: ${name} 25.0 %`,
    `failed: random 0, ${name} 2`,
  ]);
  expect(resultsTable([{ name, evaluation: { ...evaluation(1), cut: 0 } }], plain(120))[0]).not.toContain('cut');
});

it('tells success apart by each label, the players of a value together', () => {
  const on = (rate: number, tasks: number) => ({ ...evaluation(rate).success, episodes: 2 * tasks });
  const start = { ...rows[0]!, name: 'start', reference: true };
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
  expect(labelLines(apart, plain(80))).toEqual([
    '',
    'by training      success  95 % interval  episodes  tasks',
    'seen, start       40.0 %   38.0 to 42.0       100     50',
    'seen, trained     60.0 %   58.0 to 62.0       100     50',
    'unseen, start     10.0 %    8.0 to 12.0        12      6',
    'unseen, trained   30.0 %   28.0 to 32.0        12      6',
    '',
    'by depth    success  95 % interval  episodes  tasks',
    '2, start     40.0 %   38.0 to 42.0       116     58',
    '2, trained   40.0 %   38.0 to 42.0       116     58',
  ]);
  expect(printable(labelLines(apart, { width: 80, colour: true }).join('\n'))).toContain('\u001b[1mseen, trained');
  const alike = apart.slice(0, 1).map((row) => ({ ...row, name: 'random' }));
  expect(labelLines(alike, plain(80))[2]).toMatch('seen, random');
  expect(labelLines(rows, plain(80))).toEqual([]);
});

it('paints only where colours are wanted', () => {
  expect(printable(resultsTable(rows, { width: 80, colour: true })[2] ?? '')).toMatch('\u001b[1mtrained');
  const terminal = { isTTY: true, columns: 100 };
  expect(styleOf(terminal, {})).toEqual({ width: 100, colour: true });
  expect(styleOf(terminal, { NO_COLOR: '1' }).colour).toBe(false);
  expect(styleOf(terminal, { TERM: 'dumb' }).colour).toBe(false);
  expect(styleOf({ isTTY: true, columns: 0 }, {}).width).toBe(80);
  // Goes red when a table loses columns in a pipe.
  expect(styleOf({}, {})).toEqual({ width: Infinity, colour: false });
});

it('draws the course of success over the steps of a run', () => {
  const lines = trainingCurve(
    [
      { step: 0, value: 0 },
      { step: 100, value: 1 },
    ],
    plain(24),
    { name: 'demonstrator', value: 0.6 },
  );
  expect(lines).toEqual([
    '100 % │              ▄█',
    '      │            ▃▇██',
    '      │          ▃▇████',
    ' 50 % │········▂▆██████',
    '      │      ▂▆████████',
    '      │    ▁▅██████████',
    '      │  ▁▅████████████',
    '  0 % │ ▄██████████████',
    '       step 0       100',
    '       ·· demonstrator 60.0 %',
  ]);
  expect(trainingCurve([{ step: 1, value: 1 }], plain(80))).toEqual([]);
  expect(sparkline([0, 0.5, 1, NaN], 3)).toBe('▄█▁');
});

it('puts two games side by side, or under each other on a narrow terminal, and shows control characters', () => {
  const before = { title: 'Before', episode: game(['7', '\u001b[31m22'], false) };
  const after = { title: 'After', episode: game(['18'], true) };
  expect(compareGames(before, after, plain(63))).toEqual([
    'Before                         │ After',
    'Guess my number between 4 and  │ Guess my number between 4 and',
    '33. You have 5 turns.          │ 33. You have 5 turns.',
    '> 7                            │ > 18',
    'higher, 18 to 33               │ correct',
    '> ␛[31m22                      │ solved in 1 turn',
    'lower, 18 to 20                │',
    'not solved in 2 turns          │',
  ]);
  const stacked = compareGames(before, after, plain(40));
  expect(stacked).toContain('After');
  expect(Math.max(...stacked.map(displayWidth))).toBeLessThanOrEqual(40);
  const long = { title: 'Long', episode: game(['x'.repeat(10_000_000)], false) };
  expect(compareGames(long, after, plain(80)).length).toBeLessThan(40);
});

it('takes the lowest temperature of the evaluations for the curve', () => {
  const line = (runStep: number, metrics: Record<string, number>) => ({ stage: 'rl', step: runStep, runStep, metrics });
  const lines = [
    line(1, { 'train/loss': 1 }),
    line(2, { 'eval/t1/success': 0.3, 'eval/t0.5/success': 0.4 }),
    line(3, { 'eval/t0.5/success': 0.5 }),
  ];
  expect(evaluationCurve(lines)).toEqual([
    { step: 2, value: 0.4 },
    { step: 3, value: 0.5 },
  ]);
});

// Goes red when a table by label hides the result above it.
it('shows only the values of a label that say something, and counts the others', () => {
  const success = (rate: number, tasks: number) => ({
    rate,
    low: rate,
    high: rate,
    episodes: tasks,
    method: 'wilson' as const,
  });
  const linesOf = (values: readonly (readonly [tasks: number, rate: number])[]) => {
    const labels = {
      width: values.map(([tasks, rate], i) => ({ value: i + 2, tasks, success: success(rate, tasks) })),
    };
    const [one] = rows;
    return labelLines(
      [{ ...one!, name: 'trained', emphasis: true, evaluation: { ...one!.evaluation, labels } }],
      plain(80),
    );
  };
  const many = linesOf(Array.from({ length: 12 }, (_, i) => [30, 0.5 + 0.01 * ((i * 5) % 12)] as const));
  expect(many).toHaveLength(6);
  expect(many[1]).toMatch(/^by width, lowest +success/);
  expect(many.slice(2, 5).map((line) => line.slice(0, 2).trim())).toEqual(['2,', '7,', '12']);
  expect(many[5]).toBe('by width: `--json` also has 9 other values');
  const few = linesOf([
    [30, 0.5],
    [9, 1],
    [1, 0],
  ]);
  expect(few).toHaveLength(4);
  expect(few[3]).toBe('by width: `--json` also has 2 values of fewer than 10 tasks');
  expect(
    linesOf([
      [1, 0],
      [3, 1],
    ]),
  ).toEqual(['', 'by width: `--json` also has 2 values of fewer than 10 tasks']);
  expect(
    linesOf([
      [30, 0.5],
      [30, 1],
    ]),
  ).toHaveLength(4);
});
