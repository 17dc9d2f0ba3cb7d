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
const choice = { axis: 'episodes', isSmooth: true } as const;
const panel = (name: string) => ({ title: name, metrics: [[name, name] as const] });

// Goes red when success begins with the first evaluation during training. Goes red when the start replaces an
// evaluation of the same step.
it('begins success with the evaluation before training, where none was made until then', () => {
  const metrics = { 'eval/t0/success': at([40, 0.6]), 'eval/t0/success_low': at([40, 0.5]), 'eval/t0/success_high': at([40, 0.7]) }; // prettier-ignore
  const [line] = linesOfRun(run([evaluationOf('start', 0.2)], metrics), panel('eval/t0/success'), choice);
  expect(line!.curve).toMatchObject({ x: [0, 320], y: [0.2, 0.6] });
  expect(line!.band!.low.y).toEqual([0.1, 0.5]);
  const [later] = linesOfRun(run([evaluationOf('start', 0.2, 40)], metrics), panel('eval/t0/success'), choice);
  expect(later!.curve.x).toEqual([320]);
});

// Goes red when the last loss of one stage is joined with the first loss of the next.
it('leaves a gap between stages in metrics of training, and none in evaluations', () => {
  const stage = steps.map((step) => (step <= 40 ? 'sft' : 'rl'));
  const twoStages = (metrics: ReportRun['series']['metrics']) => {
    const one = run([], metrics);
    return { ...one, series: { ...one.series, stage } };
  };
  const loss = { 'train/loss': steps.map((step) => (step <= 40 ? 1 : 3)) };
  const group = { label: 'a', runs: [twoStages(loss), twoStages(loss)], style: { variable: '--curve-1', dash: [] } };
  for (const [line] of [
    linesOfRun(twoStages(loss), panel('train/loss'), choice),
    linesOfGroups([group], panel('train/loss'), choice),
  ]) {
    const gap = line!.curve.y.indexOf(null);
    expect([line!.curve.x[gap - 1], line!.curve.x[gap], line!.curve.x[gap + 1]]).toEqual([320, 324, 328]);
  }
  const success = { 'eval/t0/success': at([40, 0.5], [80, 0.6]) };
  expect(linesOfRun(twoStages(success), panel('eval/t0/success'), choice)[0]!.curve.y).toEqual([0.5, 0.6]);
});

it('reads values as measured beside a running mean, and draws sums as they are', () => {
  const zigzag = { 'train/loss': steps.map((step) => step % 2), 'cost/tokens': steps.map((step) => step ** 2) };
  const group = { label: 'a', runs: [run([], zigzag)], style: { variable: '--curve-1', dash: [] } };
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
    style: { variable: '', dash: [] },
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
