import { expect, it } from 'vitest';

import type { ReportEvaluation, ReportRun } from '../report-data.js';
import { chartOf, stageMarks } from './chart-options.js';

const steps = Array.from({ length: 100 }, (_, i) => i + 1);

/** A run of 100 steps whose reinforcement learning begins after `border`. */
function runOf(border: number, evaluations: readonly ReportEvaluation[] = []): ReportRun {
  const stage = steps.map((step) => (step <= border ? 'sft' : 'rl'));
  const later = (value: number) => steps.map((step) => (step > border ? value : null));
  const evaluated = steps.map((step) => (step === 100 ? 0.6 : null));
  const metrics = { 'train/loss': [...steps], 'rollout/return_mean': later(0.5), 'eval/t0/success': evaluated };
  const series = { stage, step: steps, runStep: steps, episodes: steps, seconds: steps.map((step) => step / (1 + border)), metrics }; // prettier-ignore
  return { stages: [{ name: 'sft' }, { name: 'rl' }], evaluations, series } as unknown as ReportRun;
}

function chartFrom(runs: readonly ReportRun[], metric: string, axis: 'runStep' | 'seconds' = 'runStep') {
  const groups = runs.map((run, i) => ({ label: `run ${i}`, runs: [run], style: 0 }));
  const panel = { title: metric, metrics: [[metric, metric] as const] };
  const marks = stageMarks(groups, axis);
  return chartOf('comparison', groups, panel, { axis, isSmooth: false, isLog: false, isFirst: false, marks })!;
}

// Goes red when the stages of the first run stand for those of the others.
it('marks each step at which runs begin a stage, and none if they all differ', () => {
  const at = (...borders: number[]) => chartFrom(borders.map((border) => runOf(border)), 'train/loss').marks; // prettier-ignore
  const [sft, at41, at61] = [
    { x: 1, label: 'sft' },
    { x: 41, label: 'rl' },
    { x: 61, label: 'rl' },
  ];
  expect(at(40, 40)).toEqual([sft, at41]);
  expect(at(60, 40, 40)).toEqual([sft, at41, at61]);
  expect(at(10, 20, 30, 40)).toEqual([sft]);
});

// Goes red when most of a chart is empty because its metric belongs to a late stage.
it('begins at the first stage with values if half of the chart would be empty', () => {
  expect(chartFrom([runOf(60)], 'rollout/return_mean').x.range).toEqual([61, 100]);
  expect(chartFrom([runOf(60), runOf(80)], 'rollout/return_mean').x.range).toEqual([61, 100]);
  expect(chartFrom([runOf(40)], 'rollout/return_mean').x.range).toEqual([0, 100]);
  expect(chartFrom([runOf(60)], 'train/loss').x.range).toEqual([0, 100]);
  const start = { player: 'start', temperature: 0, stage: 'rl', runStep: 0, success: { rate: 0.2 } } as ReportEvaluation; // prettier-ignore
  expect(chartFrom([runOf(60)], 'eval/t0/success').x.range).toEqual([61, 100]);
  expect(chartFrom([runOf(60, [start])], 'eval/t0/success').x.range).toEqual([0, 100]);
});

// Goes red when a metric that one long run lacks is squeezed into the beginning of its chart.
it('ends at the last value if half of the chart would be empty', () => {
  const long = (length: number): ReportRun => {
    const all = Array.from({ length }, (_, i) => i + 1);
    const series = { stage: all.map(() => 'sft'), step: all, runStep: all, metrics: { 'train/loss': all } };
    return { stages: [{ name: 'sft' }, { name: 'rl' }], evaluations: [], series } as unknown as ReportRun;
  };
  expect(chartFrom([runOf(40), long(300)], 'rollout/return_mean').x.range).toEqual([0, 100]);
  expect(chartFrom([runOf(40), long(200)], 'rollout/return_mean').x.range).toEqual([0, 200]);
  expect(chartFrom([runOf(40), long(300)], 'train/loss').x.range).toEqual([0, 300]);
});

// Goes red when baselines of the final tasks are drawn over the success on training tasks.
it('draws baselines beside evaluations only', () => {
  const random = { player: 'random', temperature: 0, success: { rate: 0.2 } } as ReportEvaluation;
  const groups = [{ label: 'a', runs: [runOf(60, [random])], style: 0 }];
  const levels = (metric: string) => {
    const panel = { title: 'Success', metrics: [[metric, metric] as const] };
    return chartOf('comparison', groups, panel, { axis: 'runStep', isSmooth: false, isLog: false, isFirst: false, marks: [] })!.levels; // prettier-ignore
  };
  expect(levels('eval/t0/success')).toEqual([{ label: 'random', y: 0.2 }]);
  expect(levels('rollout/return_mean')).toEqual([]);
});
