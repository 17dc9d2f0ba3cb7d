import { bandOf, curveOf, isNoisy, runningWindow, smooth, type Curve } from '../../reporting/align-series.js';
import type { FigureLine } from '../../reporting/figure/figure.js';
import type { ReportRun } from '../../reporting/report-data.js';
import type { FigureAxis } from './figure-axis.js';
import type { FigureMetric } from './figure-metric.js';

/** Runs that share one line. */
export interface RunGroup {
  readonly label: string;
  /** Selects the colour. */
  readonly style: number;
  readonly runs: readonly ReportRun[];
}

/** A line of a figure, and its data. */
export interface DrawnLine extends FigureLine {
  /** In the order of the report; at least one. */
  readonly runs: readonly ReportRun[];
  /** Whether the band is the interval of the evaluation, which is possible only with one seed. */
  readonly isInterval: boolean;
  /** Points of a running mean; 1: as measured. */
  readonly window: number;
}

/** At most this many points are marked, if all seeds have them at the same places. */
const fewPoints = 30;

/**
 * The mean over runs with its band; for a single run its curve, with its interval if there is one. Undefined if no run
 * has the metric along the axis.
 */
export function drawnLine(
  { label, style, runs }: RunGroup,
  metric: FigureMetric,
  { axis, size }: FigureAxis,
): DrawnLine | undefined {
  const curve = (run: ReportRun, name: string): Curve => {
    const { x, y, ...rest } = curveOf(run.series, name, axis);
    const scale = metric.isShare ? 100 : 1;
    return { ...rest, x: x.map((at) => at / size), y: y.map((value) => (value === null ? null : scale * value)) };
  };
  const measured = runs.filter((run) => curve(run, metric.name).x.length > 0);
  const curves = measured.map((run) => curve(run, metric.name));
  const longest = Math.max(...curves.map(({ x }) => x.length));
  // Evaluations are drawn as measured.
  const window = metric.temperature === undefined && isNoisy(metric.name) ? runningWindow(longest) : 1;
  const isMarked = longest <= fewPoints && new Set(curves.map(({ x }) => x.join())).size === 1;
  const common = { label, style, runs: measured, window, isMarked };
  const [run, ...others] = measured;
  if (run === undefined) return undefined;
  if (others.length > 0) {
    const { x, y, low, high, carried } = bandOf(curves.map((one) => smooth(one, window)));
    const whole = carried.map((count) => count === measured.length);
    return { ...common, curve: { x, y }, band: { low, high }, whole, isInterval: false };
  }
  const alone = smooth(curve(run, metric.name), window);
  const [low, high] = [curve(run, `${metric.name}_low`), curve(run, `${metric.name}_high`)];
  const isInterval = low.x.length === alone.x.length && high.x.length === alone.x.length;
  return { ...common, curve: alone, isInterval, ...(isInterval && { band: { low: low.y, high: high.y } }) };
}
