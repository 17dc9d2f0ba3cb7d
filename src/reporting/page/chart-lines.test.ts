import { expect, it } from 'vitest';

import type { ReportEvaluation, ReportRun } from '../report-data.js';
import { baselineLevels, bestFirst, linesOfGroups, linesOfRun } from './chart-lines.js';

const steps = Array.from({ length: 80 }, (_, i) => i + 1);

const evaluationOf = (player: string, rate: number, runStep = 0) =>
  ({ player, temperature: 0, stage: 'rl', runStep, success: { rate, low: rate - 0.1, high: rate + 0.1 } }) as ReportEvaluation; // prettier-ignore

const run = (evaluations: readonly ReportEvaluation[], metrics: ReportRun['series']['metrics'] = {}): ReportRun => {
  const series = { stage: steps.map(() => 'rl'), step: steps, runStep: steps, episodes: steps.map((step) => 8 * step), seconds: steps, metrics }; // prettier-ignore
  return { evaluations, series } as unknown as ReportRun;
};

const at = (...points: [step: number, value: number][]) =>
  steps.map((step) => points.find(([place]) => place === step)?.[1] ?? null);
const choice = { axis: 'episodes', isSmooth: true, fromStart: true } as const;
const panel = (name: string) => ({ title: name, metrics: [[name, name] as const] });

// Goes red when success begins with the first evaluation during training. Goes red when the start replaces an
// evaluation of the same step.
it('begins success with the evaluation before training, where none was made until then', () => {
  const metrics = { 'eval/t0/success': at([40, 0.6]), 'eval/t0/success_low': at([40, 0.5]), 'eval/t0/success_high': at([40, 0.7]) }; // prettier-ignore
  const [line] = linesOfRun(run([evaluationOf('start', 0.2)], metrics), panel('eval/t0/success'), choice);
  expect(line!.curve).toMatchObject({ x: [0, 320], y: [0.2, 0.6] });
  expect(line!.band!.low).toEqual([0.1, 0.5]);
  const [later] = linesOfRun(run([evaluationOf('start', 0.2, 40)], metrics), panel('eval/t0/success'), choice);
  expect(later!.curve.x).toEqual([320]);
});

it('reads values as measured beside a running mean, and draws sums as they are', () => {
  const zigzag = { 'train/loss': steps.map((step) => step % 2), 'cost/tokens': steps.map((step) => step ** 2) };
  const group = { label: 'a', runs: [run([], zigzag)], style: 0 };
  for (const lines of [
    linesOfRun(run([], zigzag), panel('train/loss'), choice),
    linesOfGroups([group], panel('train/loss'), choice),
  ]) {
    const calm = lines.at(-1)!;
    expect(Math.abs((calm.curve.y[40] ?? 0) - 0.5)).toBeLessThan(0.3);
    expect(calm.measured!.y.at(-1)).toBe(0);
  }
  const [sum] = linesOfRun(run([], zigzag), panel('cost/tokens'), choice);
  expect(sum!.curve.y).toEqual(zigzag['cost/tokens']);
});

// Goes red when the curves of the best results are left out.
it('orders curves by their final success', () => {
  const group = (label: string, ...evaluations: ReportEvaluation[]) => ({
    label,
    runs: [run(evaluations)],
    style: 0,
  });
  const final = (rate: number) => ({ ...evaluationOf('policy', rate), final: true });
  const groups = [
    group('none'),
    group('low', final(0.1)),
    group('high', final(0.9)),
    group('start', evaluationOf('start', 1)),
  ];
  expect(bestFirst(groups).map(({ label }) => label)).toEqual(['high', 'low', 'none', 'start']);
});

// Goes red when runs on different tasks share one baseline that is wrong for all of them.
it('draws a baseline that the runs agree on, and no other', () => {
  const first = run([evaluationOf('random', 0.2), evaluationOf('oracle', 1)]);
  const second = run([evaluationOf('random', 0.24), evaluationOf('oracle', 0.7)]);
  expect(baselineLevels([first, second])).toEqual([{ label: 'random', y: expect.closeTo(0.22, 12) }]);
  expect(baselineLevels([first, { ...second, finalTasks: 'others' }])).toEqual([]);
});

const stagesAt = (border: number) => steps.map((step) => (step <= border ? 'sft' : 'rl'));
const inStages = (border: number, metrics: ReportRun['series']['metrics']): ReportRun => {
  const made = run([], metrics);
  return { ...made, series: { ...made.series, stage: stagesAt(border) } };
};

// Goes red when a loss of supervised fine-tuning is joined to one of reinforcement learning.
it('breaks a metric of two stages, but not success and sums', () => {
  const metrics = { 'train/loss': [...steps], 'cost/tokens': [...steps], 'eval/t0/success': at([10, 0.2], [70, 0.6]) };
  const measured = { axis: 'runStep', isSmooth: false, fromStart: true } as const;
  const linesFor = (name: string) => {
    const one = inStages(30, metrics);
    const group = { label: 'a', runs: [one, one], style: 0 };
    return [...linesOfRun(one, panel(name), measured), ...linesOfGroups([group], panel(name), measured)];
  };
  for (const line of linesFor('train/loss')) expect(line.breaks).toEqual([31]);
  for (const name of ['cost/tokens', 'eval/t0/success'])
    for (const line of linesFor(name)) expect(line.breaks).toBeUndefined();
});

// Goes red when a mean mixes values of two stages.
it('takes means of runs separately for each stage', () => {
  const runs = [20, 30].map((border) => inStages(border, { 'train/loss': stagesAt(border).map((stage) => (stage === 'rl' ? 0 : 1)) })); // prettier-ignore
  const group = { label: 'a', runs, style: 0 };
  const [line] = linesOfGroups([group], panel('train/loss'), { axis: 'runStep', isSmooth: false, fromStart: true });
  expect(new Set(line!.curve.y)).toEqual(new Set([1, 0]));
  expect(line!.breaks).toEqual([31]);
  expect(line!.curve.x).toEqual(steps);
});
