import type { ReportEvaluation, ReportRun } from '../report-data.js';
import {
  bandOf,
  curveOf,
  isCost,
  isNoisy,
  runningWindow,
  smooth,
  type Band,
  type CostAxis,
  type Curve,
  type CurveAxis,
} from './align-series.js';
import type { ChartLine } from './chart.js';

/** Runs that are drawn as one line. */
export interface CurveGroup {
  readonly label: string;
  /** Selects the colour. */
  readonly style: number;
  readonly runs: readonly ReportRun[];
}

/** A line with its data. */
export interface GroupLine extends ChartLine {
  /** The runs that have the metric; at least one. */
  readonly runs: readonly ReportRun[];
  /** Whether the band is the interval of the evaluation, which is possible only with one run. */
  readonly isInterval: boolean;
  /** Points of a running mean; 1: as measured. */
  readonly window: number;
}

export interface LineChoice {
  readonly axis: CurveAxis | CostAxis;
  /** Whether long curves are running means. */
  readonly isSmooth: boolean;
  /** Whether the curve of evaluation success begins with the evaluation before reinforcement learning. */
  readonly fromStart: boolean;
}

/** At most this many points are marked. */
const fewPoints = 30;

/**
 * A metric as a line: the mean over runs with its band, or the curve of one run with its interval, if it has one.
 * Undefined if no run has the metric along the axis.
 */
export function lineOfGroup(
  { label, style, runs }: CurveGroup,
  metric: string,
  { axis, isSmooth, fromStart }: LineChoice,
): GroupLine | undefined {
  const found = runs
    .map((run) => ({ run, curve: curveFrom(run, metric, axis, fromStart) }))
    .filter(({ curve }) => curve.x.length > 0);
  const curves = found.map(({ curve }) => curve);
  const [only, ...others] = found;
  if (only === undefined) return undefined;
  const meanOf = isContinuous(metric) ? bandOf : bandByStage;
  const isMean = others.length > 0;
  const measured: Curve = isMean ? meanOf(curves) : only.curve;
  // Evaluations are drawn as measured.
  const isTraining = !metric.startsWith('eval/');
  const window = isSmooth && isTraining && isNoisy(metric) ? runningWindow(measured.x.length, isMean ? 100 : 50) : 1;
  const mean = isMean ? meanOf(curves.map((curve) => smooth(curve, window))) : undefined;
  const drawn: Curve = mean ?? smooth(only.curve, window);
  const [low, high] = ['_low', '_high'].map((end) => curveFrom(only.run, metric, axis, fromStart, end).y);
  const isInterval = !isMean && low?.length === drawn.x.length && high?.length === drawn.x.length;
  const band = mean ?? (isInterval ? { low, high } : undefined);
  const { x, y, stage } = drawn;
  return {
    ...{ label, style, window, isInterval, runs: found.map(({ run }) => run) },
    curve: { x, y, stage },
    band: band && { low: band.low, high: band.high },
    whole: mean?.carried.map((count) => count === found.length),
    breaks: breaksOf(drawn, metric),
    isMarked: window === 1 && x.length < fewPoints,
    measured: window > 1 ? { x: measured.x, y: measured.y } : undefined,
  };
}

/** Whether any noisy metric of the runs has enough points for a running mean. */
export function isLongEnough(runs: readonly ReportRun[]): boolean {
  return runs.some(({ series }) =>
    Object.entries(series.metrics).some(
      ([name, column]) => isNoisy(name) && runningWindow(column.filter((value) => value !== null).length) > 1,
    ),
  );
}

/** Metrics that mean the same in every stage: success in evaluations, and sums over the run. */
function isContinuous(metric: string): boolean {
  return /^(eval\/|cost\/|time\/run_seconds$)/.test(metric);
}

/** Places where a metric begins to mean something else, such as the loss of another algorithm. */
function breaksOf({ x, stage }: Curve, metric: string): ChartLine['breaks'] {
  if (stage === undefined || isContinuous(metric)) return undefined;
  return x.filter((_, i) => i > 0 && stage[i] !== stage[i - 1]);
}

/**
 * The mean over runs, separately for each stage. If runs change stages at different places, the mean of a stage begins
 * where the last run has ended the stage before it.
 */
function bandByStage(curves: readonly Curve[]): Band {
  const stages = [...new Set(curves.flatMap(({ stage = [] }) => stage))];
  let end = -Infinity;
  const points = stages.flatMap((name) => {
    const inStage = curves.map(({ x, y, stage }): Curve => {
      const isOwn = (_: unknown, i: number) => stage?.[i] === name;
      return { x: x.filter(isOwn), y: y.filter(isOwn) };
    });
    const { x, y, low, high, carried } = bandOf(inStage.filter((curve) => curve.x.length > 0));
    const later = x
      .map((at, i) => ({
        x: at,
        y: y[i] ?? null,
        low: low[i] ?? null,
        high: high[i] ?? null,
        carried: carried[i] ?? 0,
        stage: name,
      }))
      .filter((point) => point.x > end);
    end = later.at(-1)?.x ?? end;
    return later;
  });
  const column = <Name extends keyof (typeof points)[number]>(name: Name) => points.map((point) => point[name]);
  return {
    ...{ x: column('x'), y: column('y'), stage: column('stage') },
    ...{ low: column('low'), high: column('high'), carried: column('carried') },
  };
}

/** A metric, or an end of its interval. */
function curveFrom(run: ReportRun, metric: string, axis: LineChoice['axis'], fromStart: boolean, end = ''): Curve {
  const curve = curveOf(run.series, `${metric}${end}`, axis);
  const start = fromStart ? startOf(run, metric) : undefined;
  if (start === undefined || isCost(axis)) return curve;
  const { rate, low, high } = start.success;
  return {
    x: [placeOf(run, start.runStep, axis), ...curve.x],
    y: [end === '_low' ? low : end === '_high' ? high : rate, ...curve.y],
    stage: curve.stage && [start.stage, ...curve.stage],
  };
}

/**
 * The evaluation before reinforcement learning, as the first point of its curve. Undefined if another evaluation of
 * this temperature was made no later. It uses the final tasks.
 */
export function startOf({ evaluations, series }: ReportRun, metric: string): ReportEvaluation | undefined {
  const temperature = /^eval\/t([^/]+)\/success$/.exec(metric)?.[1];
  if (temperature === undefined) return undefined;
  const start = evaluations.find(
    (one) => one.player === 'start' && one.environment === undefined && one.temperature === Number(temperature),
  );
  const first = series.runStep[series.metrics[metric]?.findIndex((value) => value !== null) ?? -1];
  return start !== undefined && first !== undefined && start.runStep < first ? start : undefined;
}

/** Where a step of the run lies on an axis. */
function placeOf({ series }: ReportRun, runStep: number, axis: CurveAxis): number {
  const line = series.runStep.findLastIndex((step) => step <= runStep);
  return line < 0 ? 0 : (series[axis][line] ?? 0);
}
