import { expect, it } from 'vitest';

import type { CompletedEpisode } from '../contracts/trajectory.js';
import { compareGames } from './compare-games.js';
import { displayWidth } from './display-text.js';
import { evaluationCurve } from './evaluation-curve.js';
import { paint, printable, styleOf, type TerminalStyle } from './terminal-style.js';
import { sparkline, trainingCurve } from './training-curve.js';

const plain = (width: number): TerminalStyle => ({ width, colour: false });

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

it('paints only where colours are wanted', () => {
  expect(printable(paint('trained', 'bold', { width: 80, colour: true }))).toBe('\u001b[1mtrained\u001b[22m');
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
