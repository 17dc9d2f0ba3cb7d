import {
  bandOf,
  curveOf,
  isNoisy,
  runningWindow,
  smooth,
  type CurveAxis,
  type Band,
  type Curve,
} from '../align-series.js';
import { curveStyle } from '../curve-style.js';
import type { ReportEvaluation, ReportRun } from '../report-data.js';
import type { ChartLevel } from './chart-marks.js';
import type { ChartLine } from './chart-content.js';
import { finalOf } from './final-success.js';
import type { Panel } from './metric-panels.js';

/** Runs that are drawn as one curve. */
export interface CurveGroup {
  readonly label: string;
  readonly runs: readonly ReportRun[];
  readonly style: ReturnType<typeof curveStyle>;
}

/** Groups with the highest final success first; groups without a result last, in their order. */
export function bestFirst(groups: readonly CurveGroup[]): CurveGroup[] {
  const rate = ({ runs }: CurveGroup) => {
    const rates = runs.flatMap((run) => finalOf(run)?.success.rate ?? []);
    return rates.length === 0 ? -1 : rates.reduce((sum, one) => sum + one, 0) / rates.length;
  };
  return [...groups].sort((a, b) => rate(b) - rate(a));
}

export interface LineChoice {
  readonly axis: CurveAxis;
  /** Whether long curves are running means. */
  readonly isSmooth: boolean;
}

/** For one run: each metric of a panel as a separate line. */
export function linesOfRun(run: ReportRun, { metrics }: Panel, { axis, isSmooth }: LineChoice): ChartLine[] {
  const { series } = run;
  return metrics.flatMap(([name, label], i): ChartLine[] => {
    const { curve, low, high } = curveFromStart(run, name, axis);
    const line = { label, curve, ...curveStyle(i), ...breaksOf(curve, name), marked: curve.x.length < 30 };
    if (series.metrics[`${name}_low`] !== undefined) return [{ ...line, band: { low, high } }];
    const window = isSmooth && isNoisy(name) ? runningWindow(curve.x.length) : 1;
    if (window === 1) return [line];
    return [
      { ...line, marked: false, faint: true },
      { ...line, marked: false, curve: smooth(curve, window), measured: curve },
    ];
  });
}

/** For several runs: one metric, with a line for each group. */
export function linesOfGroups(
  groups: readonly CurveGroup[],
  { metrics }: Panel,
  { axis, isSmooth }: LineChoice,
): ChartLine[] {
  const name = metrics[0]?.[0] ?? '';
  return groups.flatMap(({ label, runs, style }): ChartLine[] => {
    const curves = runs.map((run) => curveFromStart(run, name, axis).curve).filter(({ x }) => x.length > 0);
    if (curves.length === 0) return [];
    const meanOf = isContinuous(name) ? bandOf : bandByStage;
    const measured = meanOf(curves);
    const window = isSmooth && isNoisy(name) ? runningWindow(measured.x.length, 100) : 1;
    const band = window === 1 ? measured : meanOf(curves.map((curve) => smooth(curve, window)));
    const marked = band.x.length < 30;
    const line = { label, curve: band, ...style, ...breaksOf(band, name), marked, ...(window > 1 && { measured }) };
    return curves.length < 2 ? [line] : [{ ...line, band: endsOf(band) }];
  });
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
function breaksOf({ x, stage }: Curve, metric: string): Pick<ChartLine, 'breaks'> {
  if (stage === undefined || isContinuous(metric)) return {};
  const breaks = stage.flatMap((name, i) =>
    i > 0 && name !== stage[i - 1] ? [[x[i - 1] as number, x[i] as number] as const] : [],
  );
  return breaks.length === 0 ? {} : { breaks };
}

/**
 * The mean over runs, separately for each stage. If runs change stages at different places, the mean of a stage begins
 * where the last run has ended the stage before it.
 */
function bandByStage(curves: readonly Curve[]): Band {
  const stages = [...new Set(curves.flatMap(({ stage = [] }) => stage))];
  let end = -Infinity;
  const parts = stages.map((name) => {
    const inStage = curves.map(({ x, y, stage }): Curve => {
      const isOwn = (_: unknown, i: number) => stage?.[i] === name;
      return { x: x.filter(isOwn), y: y.filter(isOwn) };
    });
    const band = bandOf(inStage.filter(({ x }) => x.length > 0));
    const isLater = (_: unknown, i: number) => (band.x[i] as number) > end;
    const { x, y, low, high, carried } = band;
    const part = { x: x.filter(isLater), y: y.filter(isLater), low: low.filter(isLater), high: high.filter(isLater), carried: carried.filter(isLater) }; // prettier-ignore
    end = Math.max(end, ...part.x.slice(-1));
    return { ...part, stage: part.x.map(() => name) };
  });
  return {
    x: parts.flatMap(({ x }) => x),
    y: parts.flatMap(({ y }) => y),
    low: parts.flatMap(({ low }) => low),
    high: parts.flatMap(({ high }) => high),
    carried: parts.flatMap(({ carried }) => carried),
    stage: parts.flatMap(({ stage }) => stage),
  };
}

function endsOf({ x, low, high }: Band): { low: Curve; high: Curve } {
  return { low: { x, y: low }, high: { x, y: high } };
}

/**
 * A metric with its interval. The curve of evaluation success begins with the evaluation before reinforcement learning.
 */
function curveFromStart(run: ReportRun, name: string, axis: CurveAxis): { curve: Curve; low: Curve; high: Curve } {
  const [curve, low, high] = ['', '_low', '_high'].map((end) => curveOf(run.series, `${name}${end}`, axis)) as [
    Curve,
    Curve,
    Curve,
  ];
  const start = startOf(run, name);
  if (start === undefined) return { curve, low, high };
  const x = placeOf(run, start.runStep, axis);
  const before = ({ x: xs, y, stage }: Curve, value: number | null): Curve => ({
    x: [x, ...xs],
    y: [value, ...y],
    ...(stage && { stage: [start.stage, ...stage] }),
  });
  const { rate, low: least, high: most } = start.success;
  return { curve: before(curve, rate), low: before(low, least), high: before(high, most) };
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

const baselines = ['random', 'demonstrator', 'oracle'];

/**
 * If a player's success differs by more between runs, each run played its own sample of tasks. One line would be wrong
 * for most of them.
 */
const sameTasks = 0.05;

/** Whether runs have different final tasks. */
export function playedApart(runs: readonly ReportRun[]): boolean {
  return new Set(runs.map(({ finalTasks }) => finalTasks)).size > 1;
}

/** Success of the players that do not learn, as the mean over runs. None if the runs have different final tasks. */
export function baselineLevels(runs: readonly ReportRun[]): ChartLevel[] {
  if (playedApart(runs)) return [];
  return baselines.flatMap((player): ChartLevel[] => {
    const rates = runs.flatMap(({ evaluations }) => {
      const found = evaluations.findLast((one) => one.player === player && one.environment === undefined);
      return found === undefined ? [] : [found.success.rate];
    });
    if (rates.length === 0 || Math.max(...rates) - Math.min(...rates) > sameTasks) return [];
    return [{ label: player, y: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }];
  });
}
