import { AgentgymError } from '../../errors/agentgym-error.js';
import { curveOf } from '../../reporting/chart/align-series.js';
import type { Figure } from '../../reporting/chart/draw-figure.js';
import { lineOfGroup, type CurveGroup, type GroupLine } from '../../reporting/chart/group-lines.js';
import type { ReportData } from '../../reporting/report-data.js';
import { axisOfFigure, type FigureAxis } from './figure-axis.js';
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
  // The evaluation before reinforcement learning plays other tasks.
  const line = { axis: axis.axis, isSmooth: true, fromStart: false };
  const all = groupsOf(data).flatMap((group) => lineOfGroup(group, metric.name, line) ?? []);
  if (all.length === 0) throw nothingCounted(axis);
  const places = all.flatMap(({ curve }) => curve.x);
  const lines = all.map((line) => trimEnds(line, Math.max(...places) - Math.min(...places)));
  const drawn = new Set(lines.flatMap(({ runs }) => runs));
  const figure: Figure = {
    title: `${metric.title}, by ${axis.title[0]?.toLowerCase()}${axis.title.slice(1)}: ${lines.map(describe(metric)).join('; ')}.`,
    x: axis,
    y: metric.isShare
      ? { title: `${metric.title} (%)`, size: 0.01, bounds: [0, 1], leastRange: 0.1 }
      : { title: metric.title, size: 1 },
    lines,
    levels: [],
    marks: [],
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
function groupsOf({ cells, runs }: ReportData): CurveGroup[] {
  if (cells.length === 0) return runs.map((run, style) => ({ label: run.label, style, runs: [run] }));
  return cells.map(({ id, label }, style) => ({ label, style, runs: runs.filter(({ cell }) => cell === id) }));
}

/** "grpo from 12.0 to 71.3 %", over the part that all seeds cover. */
function describe({ isShare }: FigureMetric): (line: GroupLine) => string {
  const name = (value: number | undefined) =>
    value === undefined ? '' : isShare ? (100 * value).toFixed(1) : String(Number(value.toPrecision(3)));
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
