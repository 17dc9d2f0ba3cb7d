import { expect, it } from 'vitest';

import type { ReportRun } from '../report-data.js';
import type { CurveGroup } from './chart-lines.js';
import { beginningOf, commonMarks } from './chart-options.js';

const style = { variable: '--curve-1', dash: [] };

/** A run of 100 steps whose stage `rl` starts after `sft` steps. */
function group(sft: number): CurveGroup {
  const steps = Array.from({ length: 100 }, (_, i) => i + 1);
  const series = { stage: steps.map((step) => (step <= sft ? 'sft' : 'rl')), runStep: steps };
  return { label: 'a', runs: [{ stages: [{ name: 'sft' }, { name: 'rl' }], series } as unknown as ReportRun], style };
}

const line = (...x: number[]) => ({ label: 'a', curve: { x, y: x.map(() => 1) }, ...style, marked: false });

// Goes red when the line of the first run is drawn for all runs.
it('marks the start of a stage only where it is the same in all runs', () => {
  expect(commonMarks([group(80), group(80)], 'runStep')).toEqual([
    { x: 1, label: 'sft' },
    { x: 81, label: 'rl' },
  ]);
  expect(commonMarks([group(80), group(50)], 'runStep')).toEqual([]);
});

// Goes red when most of a chart is empty, or when a value lies left of the axis.
it('begins a chart at the stage of its first value, if the chart would be empty up to there', () => {
  const marks = commonMarks([group(80)], 'runStep');
  expect(beginningOf([line(81, 90)], marks, 100)).toBe(81);
  expect(beginningOf([line(81, 90), line(10, 90)], marks, 100)).toBe(0);
  expect(beginningOf([line(41, 90)], commonMarks([group(40)], 'runStep'), 100)).toBe(0);
  expect(beginningOf([line(99)], [], 100)).toBe(0);
});
