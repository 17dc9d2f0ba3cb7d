import { AgentgymError } from '../../errors/agentgym-error.js';
import { curveOf } from '../../reporting/align-series.js';
import type { Figure } from '../../reporting/figure/figure.js';
import type { ReportData } from '../../reporting/report-data.js';
import { axisOfFigure, type FigureAxis } from './figure-axis.js';
import { drawnLine, type DrawnLine, type RunGroup } from './drawn-line.js';
import { captionOf } from './figure-caption.js';
import { metricOfFigure, type FigureMetric } from './figure-metric.js';
import { trimEnds } from './trim-ends.js';

export interface FigureChoice {
  /** Absent: `units` if every run has a budget, otherwise `step`. */
  readonly by?: FigureAxis['name'];
  /** `success`, `return` or `turns` of the evaluations during training, or a name of `metrics.jsonl`. */
  readonly metric: string;
}

/**
 * The curve of a metric: one line per cell with a band over its seeds, or the line of a single run. It also returns
 * notes about omitted data.
 *
 * @throws AG_FIGURE_EMPTY if no run has the metric along the axis
 */
export function figureOfReport(data: ReportData, choice: FigureChoice): { figure: Figure; notes: string[] } {
  const metric = metricOfFigure(choice.metric, data);
  const measured = data.runs.filter((run) => curveOf(run.series, metric.name, 'runStep').x.length > 0);
  const axis = axisOfFigure(choice.by, measured);
  const all = groupsOf(data).flatMap((group) => drawnLine(group, metric, axis) ?? []);
  if (all.length === 0) throw nothingCounted(axis);
  const places = all.flatMap(({ curve }) => curve.x);
  const lines = all.map((line) => trimEnds(line, Math.max(...places) - Math.min(...places)));
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
    absent.length === 0
      ? []
      : [`Not in the figure, because they have no ${metric.name} by ${axis.name}: ${absent.join('; ')}.`];
  return { figure, notes };
}

/** Groups in the order and colours of the page. Cells that have not begun reserve their colours. */
function groupsOf({ cells, runs }: ReportData): RunGroup[] {
  if (cells.length === 0) return runs.map((run, style) => ({ label: run.label, style, runs: [run] }));
  return cells.map(({ id, label }, style) => ({ label, style, runs: runs.filter(({ cell }) => cell === id) }));
}

/** "grpo from 12.0 to 71.3 %", over the part that all seeds cover. */
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
    message: `No run measures ${name}${name === 'units' ? ': their recipes have no `budget`' : ''}.`,
    hint: 'Choose another axis, such as `--by step`.',
  });
}
