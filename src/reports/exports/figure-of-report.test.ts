import { describe, expect, it } from 'vitest';

import type { ReportData, ReportRun, ReportSeries } from '../../reporting/report-data.js';
import { figureOfReport } from './figure-of-report.js';

type Columns = ReportSeries['metrics'];

/** A run with one line per value of its columns: one step, 100 seconds and eight episodes each. */
function runOf(label: string, cell: string | null, metrics: Columns, recipe?: ReportRun['recipe']): ReportRun {
  const lines = Object.values(metrics)[0]!.map((_, i) => i + 1);
  return {
    id: label,
    label,
    cell,
    seed: 1,
    status: 'completed',
    startedAt: null,
    summary: [],
    ...(recipe && { recipe }),
    stages: [],
    series: {
      stage: lines.map(() => 'rl'),
      step: lines,
      runStep: lines,
      episodes: lines.map((step) => 8 * step),
      seconds: lines.map((step) => 100 * step),
      metrics,
    },
    evaluations: [],
    finalTasks: 'test',
    spent: {},
    episodes: [],
    episodesRecorded: 0,
  };
}

function reportOf(runs: readonly ReportRun[]): ReportData {
  const ids = [...new Set(runs.flatMap(({ cell }) => cell ?? []))];
  const head = {
    formatVersion: 1,
    kind: 'ablation',
    title: '',
    question: '',
    answer: '',
    notes: [],
    createdAt: '',
    version: '',
  } as const;
  const cells = ids.map((id) => ({
    id,
    label: id,
    settings: {},
    seeds: [],
    success: null,
    spent: {},
    status: 'completed' as const,
  }));
  return { ...head, runs, cells, comparisons: [] };
}

const success = { metric: 'success' };

describe('the figure of a report', () => {
  it('has a mean and a band over the seeds of each cell, in percent', () => {
    const data = reportOf([
      runOf('a 1', 'a', { 'eval/t0/success': [0.2, null, 0.4] }),
      runOf('a 2', 'a', { 'eval/t0/success': [0.4, null, 0.8] }),
      runOf('b 1', 'b', { 'eval/t0/success': [0.1, 0.5, 0.5] }),
    ]);
    const { figure, notes } = figureOfReport(data, success);
    const [a, b] = figure.lines;
    expect(a!.curve.x).toEqual([1, 3]);
    expect(a!.curve.y.map((value) => Number(value!.toFixed(9)))).toEqual([0.3, 0.6]);
    expect(a!.band).toEqual({ low: [0.2, 0.4], high: [0.4, 0.8] });
    expect(b).toMatchObject({ label: 'b', style: 1, curve: { x: [1, 2, 3], y: [0.1, 0.5, 0.5] } });
    expect(b!.band).toBeUndefined();
    expect(notes).toEqual([]);
    expect(figure.x).toMatchObject({ title: 'Steps of the run' });
    expect(figure.y).toMatchObject({ title: 'Success in evaluations, temperature 0 (%)', size: 0.01, bounds: [0, 1] });
    expect(figure.title).toContain('a from 30.0 to 60.0 %; b from 10.0 to 50.0 %');
    expect(figure.caption).toBe('Mean over 1 to 2 seeds; the band reaches from the lowest seed to the highest.');
  });

  // Goes red when the mean of only the longer seed is drawn as the mean of both.
  it('marks where a seed that stopped early is missing', () => {
    const data = reportOf([
      runOf('a 1', 'a', { 'eval/t0/success': [0.2, 0.4] }),
      runOf('a 2', 'a', { 'eval/t0/success': [0.4, 0.6, 0.9, 1] }),
    ]);
    const { figure } = figureOfReport(data, success);
    expect(figure.lines[0]!.whole).toEqual([true, true, false, false]);
    expect(figure.caption).toContain('The line is thin where some seeds have no value.');
    expect(figure.title).toContain('a from 30.0 to 50.0 %');
  });

  it('runs along the budget where every run has one, between the points of its seeds too', () => {
    const recipe = { budget: { costs: { turn: 2, demonstration: 0 } } };
    const first = { 'eval/t0/success': [0.2, 0.6], 'cost/units': [0, 100], 'cost/turns': [0, 50] };
    const second = { 'eval/t0/success': [0.4, 0.4, 0.8], 'cost/units': [0, 50, 100], 'cost/turns': [0, 25, 50] };
    const data = reportOf([runOf('a 1', 'a', first, recipe), runOf('a 2', 'a', second, recipe)]);
    const { figure } = figureOfReport(data, success);
    expect(figure.x.title).toBe('Budget spent (units: 2 a turn)');
    expect(figure.lines[0]!.curve.x).toEqual([0, 50, 100]);
    // At 50 the first seed is halfway: (0.4 + 0.4) / 2.
    expect(figure.lines[0]!.curve.y.map((value) => Number(value!.toFixed(9)))).toEqual([0.3, 0.4, 0.7]);
    expect(figureOfReport(data, { ...success, by: 'turns' }).figure.lines[0]!.curve.x).toEqual([0, 25, 50]);
    const mixed = reportOf([...data.runs, runOf('b 1', 'b', { 'eval/t0/success': [0.1, 0.2] })]);
    expect(figureOfReport(mixed, success).figure.x.title).toBe('Steps of the run');
    expect(figureOfReport(mixed, { ...success, by: 'units' })).toMatchObject({
      figure: { lines: [{ label: 'a' }] },
      notes: ['Not in the figure, because they have no eval/t0/success by units: b 1.'],
    });
    expect(() => figureOfReport(reportOf(mixed.runs.slice(2)), { ...success, by: 'units' })).toThrow(/`budget`/);
  });

  it('draws a run alone with the interval of its evaluations, and seconds in a unit for people', () => {
    const metrics = {
      'eval/t0/success': [0.2, 0.6],
      'eval/t0/success_low': [0.1, 0.5],
      'eval/t0/success_high': [0.3, 0.7],
    };
    const { figure } = figureOfReport(reportOf([runOf('seed 1', null, metrics)]), { ...success, by: 'seconds' });
    expect(figure.lines[0]!.band).toEqual({ low: [0.1, 0.5], high: [0.3, 0.7] });
    expect(figure.caption).toBe('One run; the band is the 95 % interval, for other tasks.');
    // 200 s are more than three minutes.
    expect(figure.x.title).toBe('Work, evaluations included (minutes)');
    expect([figure.lines[0]!.curve.x, figure.x.size]).toEqual([[100, 200], 60]);
  });

  it('takes the lowest temperature, other measures, and any metric by its name', () => {
    const metrics = {
      'eval/t1/success': [0.1, 0.2],
      'eval/t0.5/success': [0.3, 0.4],
      'eval/t0.5/turns_mean': [5, 4],
      'train/loss': [2, 1],
    };
    const data = reportOf([runOf('seed 1', null, metrics)]);
    const of = (metric: string) => figureOfReport(data, { metric }).figure;
    expect(of('success').lines[0]!.curve.y).toEqual([0.3, 0.4]);
    expect(of('eval/t1/success').lines[0]!.curve.y).toEqual([0.1, 0.2]);
    expect(of('turns')).toMatchObject({
      y: { title: 'Mean turns in evaluations, temperature 0.5' },
      lines: [{ curve: { y: [5, 4] } }],
    });
    expect(of('train/loss')).toMatchObject({
      y: { title: 'train/loss', size: 1 },
      caption: 'One run; without a band.',
    });
    expect(() => of('train/los')).toThrow(/Did you mean `train\/loss`/);
  });

  it('says what was averaged where a long curve of training is', () => {
    const loss = Array.from({ length: 120 }, (_, i) => i % 2);
    const { figure } = figureOfReport(reportOf([runOf('seed 1', null, { 'train/loss': loss })]), {
      metric: 'train/loss',
    });
    // 2 x floor(120 / 50) + 3 = 7 points: four of the numbers 57 to 63 are odd.
    expect(figure.caption).toContain('running means over 7 steps');
    expect(figure.lines[0]!.curve.y[60]).toBeCloseTo(4 / 7, 12);
  });

  it('is refused where no evaluation was made', () => {
    const data = reportOf([runOf('seed 1', null, { 'train/loss': [1] })]);
    expect(() => figureOfReport(data, success)).toThrow(expect.objectContaining({ code: 'AG_FIGURE_EMPTY' }) as Error);
    expect(() => figureOfReport(reportOf([]), success)).toThrow(/no evaluation during training/);
  });
});
