import { AgentgymError } from '../../errors/agentgym-error.js';
import { bandOf, curveOf, smooth, type Curve } from '../../reporting/align-series.js';
import type { Figure, FigureLine } from '../../reporting/figure/figure.js';
import type { ReportData, ReportRun } from '../../reporting/report-data.js';
import { axisOfFigure, type FigureAxis } from './figure-axis.js';
import { captionOf } from './figure-caption.js';
import { metricOfFigure, type FigureMetric } from './figure-metric.js';

export interface FigureChoice {
  /** Absent: `units` where every run has a budget, else `step`. */
  readonly by?: FigureAxis['name'];
  /** `success`, `return` or `turns` of the evaluations during training, or a name of `metrics.jsonl`. */
  readonly metric: string;
}

/** A line of a figure, and what it is made of. */
export interface DrawnLine extends FigureLine {
  /** In the order of the report; at least one. */
  readonly runs: readonly ReportRun[];
  /** The band is the interval of the evaluation, where there are no seeds to tell. */
  readonly isInterval: boolean;
  /** Points of a running mean; 1: as measured. */
  readonly window: number;
}

/** With so many points or more a curve of training is drawn as a running mean, as in the page; evaluations never are. */
const manyPoints = 60;

/**
 * The curve of a metric, one line a cell with a band over its seeds, or of a run alone. Also notes on what is not in it.
 *
 * @throws AG_FIGURE_EMPTY where no run has the metric along the axis
 */
export function figureOfReport(data: ReportData, choice: FigureChoice): { figure: Figure; notes: string[] } {
  const metric = metricOfFigure(choice.metric, data);
  const measured = data.runs.filter((run) => curveOf(run.series, metric.name, 'runStep').x.length > 0);
  const axis = axisOfFigure(choice.by, measured);
  const lines = groupsOf(data).flatMap((group) => lineOf(group, metric, axis));
  if (lines.length === 0) throw nothingCounted(axis);
  const drawn = new Set(lines.flatMap(({ runs }) => runs));
  const figure: Figure = {
    title: `${metric.title}, by ${axis.title[0]?.toLowerCase()}${axis.title.slice(1)}: ${lines.map(describe(metric)).join('; ')}.`,
    xTitle: axis.title,
    yTitle: `${metric.title}${metric.isShare ? ' (%)' : ''}`,
    wholeX: axis.isWhole,
    bounds: metric.isShare ? [0, 100] : [-Infinity, Infinity],
    leastRange: metric.isShare ? 10 : 0,
    lines,
    caption: captionOf(lines, metric),
  };
  const absent = data.runs.filter((run) => !drawn.has(run)).map(({ label }) => label);
  const notes =
    absent.length === 0 ? [] : [`Not in the figure, without ${metric.name} by ${axis.name}: ${absent.join('; ')}.`];
  return { figure, notes };
}

/** Runs that are one line, in the order and colours of the page: a cell that has not begun has its colour already. */
interface Group {
  readonly label: string;
  readonly style: number;
  readonly runs: readonly ReportRun[];
}

function groupsOf({ cells, runs }: ReportData): Group[] {
  if (cells.length === 0) return runs.map((run, style) => ({ label: run.label, style, runs: [run] }));
  return cells.map(({ id, label }, style) => ({ label, style, runs: runs.filter(({ cell }) => cell === id) }));
}

function lineOf({ label, style, runs }: Group, metric: FigureMetric, { axis, size }: FigureAxis): DrawnLine[] {
  const curve = (run: ReportRun, name: string): Curve => {
    const { x, y } = curveOf(run.series, name, axis);
    const scale = metric.isShare ? 100 : 1;
    return { x: x.map((at) => at / size), y: y.map((value) => (value === null ? null : scale * value)) };
  };
  const measured = runs.filter((run) => curve(run, metric.name).x.length > 0);
  const curves = measured.map((run) => curve(run, metric.name));
  const longest = Math.max(...curves.map(({ x }) => x.length));
  const window = metric.temperature !== undefined || longest < manyPoints ? 1 : 2 * Math.floor(longest / 50) + 3;
  const common = { label, style, runs: measured, window };
  const [run, ...others] = measured;
  if (run === undefined) return [];
  if (others.length > 0) {
    const { x, y, low, high, carried } = bandOf(curves.map((one) => smooth(one, window)));
    const whole = carried.map((count) => count === measured.length);
    return [{ ...common, curve: { x, y }, band: { low, high }, whole, isInterval: false }];
  }
  const alone = smooth(curve(run, metric.name), window);
  const [low, high] = [curve(run, `${metric.name}_low`), curve(run, `${metric.name}_high`)];
  const isInterval = low.x.length === alone.x.length && high.x.length === alone.x.length;
  return [{ ...common, curve: alone, isInterval, ...(isInterval && { band: { low: low.y, high: high.y } }) }];
}

/** "grpo from 12.0 to 71.3 %", of the part that all seeds carry. */
function describe({ isShare }: FigureMetric): (line: DrawnLine) => string {
  const name = (value: number | undefined) =>
    (isShare ? value?.toFixed(1) : String(Number(value?.toPrecision(3)))) ?? '';
  return ({ label, curve, whole }) => {
    const values = curve.y.filter((value, i): value is number => value !== null && (whole?.[i] ?? true));
    if (values.length === 0) return label;
    return `${label} from ${name(values[0])} to ${name(values.at(-1))}${isShare ? ' %' : ''}`;
  };
}

function nothingCounted({ name }: FigureAxis): AgentgymError {
  return new AgentgymError('AG_FIGURE_EMPTY', {
    message: `No run counts ${name}${name === 'units' ? ': their recipes have no `budget`' : ''}.`,
    hint: 'Draw it along something else: `--by step`.',
  });
}
