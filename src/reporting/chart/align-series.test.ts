import { expect, it } from 'vitest';

import type { ReportSeries } from '../report-data.js';
import { bandOf, curveOf, isNoisy, smooth } from './align-series.js';

const series: ReportSeries = {
  stage: ['sft', 'sft', 'rl', 'rl'],
  step: [1, 2, 1, 2],
  runStep: [1, 2, 3, 4],
  episodes: [0, 0, 8, 16],
  seconds: [1, 2.5, 4, 6],
  metrics: { 'train/loss': [3, 2, null, 1], 'rollout/success': [null, null, 0.25, 0.5] },
};

it('gives a metric along each axis, without lines that have none', () => {
  expect(curveOf(series, 'train/loss', 'runStep')).toEqual({ x: [1, 2, 4], y: [3, 2, 1], stage: ['sft', 'sft', 'rl'] });
  expect(curveOf(series, 'rollout/success', 'seconds')).toMatchObject({ x: [4, 6], y: [0.25, 0.5] });
  expect(curveOf(series, 'unknown', 'runStep')).toEqual({ x: [], y: [], stage: [] });
});

// Goes red when several points keep the same x: charts need a rising x.
it('keeps the last of several values before the first episode', () => {
  expect(curveOf(series, 'train/loss', 'episodes')).toEqual({ x: [0, 16], y: [2, 1], stage: ['sft', 'rl'] });
});

it('makes a mean and a band of seeds, between their points too', () => {
  const slow = { x: [0, 10], y: [0, 1] };
  const fast = { x: [0, 5], y: [0.5, 0.7] };
  const { x, y, low, high } = bandOf([slow, fast]);
  expect(x).toEqual([0, 5, 10]);
  expect(low).toEqual([0, 0.5, 1]);
  expect(high).toEqual([0.5, 0.7, 1]);
  expect(y[0]).toBeCloseTo(0.25, 12);
  expect(y[1]).toBeCloseTo(0.6, 12);
  // After the end of the shorter curve only the longer one counts: nothing is extrapolated.
  expect(y[2]).toBe(1);
});

it('agrees with a slow reading of the definition on many curves', () => {
  const curves = Array.from({ length: 6 }, (_, seed) => {
    const x = Array.from({ length: 9 }, (_, i) => i * (2 + seed) + (seed % 3));
    return { x, y: x.map((at) => Math.sin(at + seed)) };
  });
  const valueAt = ({ x, y }: (typeof curves)[number], at: number) => {
    for (let i = 0; i < x.length; i += 1) {
      if (x[i] === at) return [y[i]!];
      if (i > 0 && x[i - 1]! < at && at < x[i]!)
        return [(y[i - 1]! * (x[i]! - at) + y[i]! * (at - x[i - 1]!)) / (x[i]! - x[i - 1]!)];
    }
    return [];
  };
  const band = bandOf(curves);
  for (const [i, at] of band.x.entries()) {
    const values = curves.flatMap((curve) => valueAt(curve, at));
    expect(band.y[i]).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 12);
    expect(band.low[i]).toBeCloseTo(Math.min(...values), 12);
    expect(band.high[i]).toBeCloseTo(Math.max(...values), 12);
  }
});

it('smooths by a running mean that is shorter at the ends', () => {
  expect(smooth({ x: [1, 2, 3, 4], y: [0, 3, 6, 0] }, 3).y).toEqual([1.5, 3, 3, 3]);
  expect(smooth({ x: [1, 2], y: [5, 7] }, 1).y).toEqual([5, 7]);
});

// Goes red when the last loss of fine-tuning is averaged with the first of reinforcement learning.
it('takes the running mean of each stage by itself', () => {
  const stage = ['sft', 'sft', 'sft', 'rl', 'rl', 'rl'];
  const { y } = smooth({ x: [1, 2, 3, 4, 5, 6], y: [6, 6, 6, 1, 1, 1], stage }, 5);
  expect(y).toEqual([6, 6, 6, 1, 1, 1]);
});

it('calms what is measured, and leaves sums and schedules as they are', () => {
  const names = [
    'train/loss',
    'rollout/success',
    'cost/episodes',
    'cost/tokens',
    'rollout/horizon',
    'rollout/episodes',
  ];
  expect(names.filter(isNoisy)).toEqual(['train/loss', 'rollout/success']);
});
