import { expect, it } from 'vitest';

import type { ReportRun } from '../report-data.js';
import type { ChartOptions } from './chart-options.js';
import { explainCurves } from './explain-curves.js';

const style = 0;
const run = (last: number, metrics = {}) =>
  ({ evaluations: [{ final: true, split: 'test' }], series: { runStep: [last], metrics } }) as unknown as ReportRun;
const group = (...runs: ReportRun[]) => ({ label: 'a', runs, style });
const chart = (shown: Partial<ChartOptions> = {}) =>
  ({ lines: [], marks: [], levels: [], ...shown }) as unknown as ChartOptions;
const line = { label: 'a', curve: { x: [1], y: [1] }, style, isMarked: false };
const [sft, rl, later] = [
  { x: 1, label: 'sft' },
  { x: 5, label: 'rl' },
  { x: 9, label: 'rl' },
];

// Goes red when a sentence explains a band, a line or a mean that the charts do not have.
it('explains what is drawn and nothing else', () => {
  expect(explainCurves('run', [group(run(9))], [chart({ lines: [line] })])).toBe(
    'Numbers next to names are last values.',
  );
  const all = chart({
    lines: [{ ...line, measured: line.curve, band: { low: [1], high: [1] } }],
    marks: [sft, rl],
    levels: [{ label: 'random', y: 0.2 }],
  });
  expect(explainCurves('run', [group(run(9, { 'eval/t0/success': [1] }))], [all])).toBe(
    'Bands around evaluations are 95 % intervals. Thin lines are single steps, thick lines running means. ' +
      'Numbers next to names are last values, not smoothed. A dashed line marks the start of a stage. ' +
      'Evaluations during training may play other tasks than the final one on the test split. ' +
      'Horizontal lines are baselines of the final evaluation.',
  );
});

it('tells of seeds, also of those that end early, and of stages that begin at different steps', () => {
  const several = explainCurves('ablation', [group(run(9), run(7))], [chart({ marks: [sft, rl, later] })]);
  expect(several).toContain('Where a seed has ended, the line is thin: it is the mean of the others.');
  expect(several).toContain('the start of a stage, at each step where runs begin it.');
  const even = explainCurves('ablation', [group(run(9), run(9))], [chart()]);
  expect(even).toBe(
    'Each curve is the mean over seeds; its band reaches from the lowest seed to the highest. Numbers next to names are means of the last values.',
  );
  expect(explainCurves('comparison', [group(run(9))], [chart()])).toContain('no band, because each has one seed.');
});
