import { timeUnit, type CurveAxis } from '../chart/align-series.js';
import type { Chart, ChartAxis, ChartLine, ChartMark } from '../chart/chart.js';
import type { CurveGroup } from '../chart/group-lines.js';
import type { ReportData } from '../report-data.js';
import { baselineLevels, linesOfGroups, linesOfRun } from './chart-lines.js';
import { formatSeconds, formatShare, short, significant } from '../format-quantity.js';
import { successTitle, type Panel } from './metric-panels.js';
import { constantOf } from './rounding-noise.js';

/** The reader's settings for charts. */
export interface ChartChoice {
  readonly axis: CurveAxis;
  /** Whether long curves are running means. */
  readonly isSmooth: boolean;
  readonly isLog: boolean;
}

/** A chart of the page. */
export interface ChartOptions extends Chart {
  readonly title: string;
  readonly height: number;
  /** What a reader of this chart must know. */
  readonly note?: string | undefined;
  /** For places and values in the legend. */
  readonly formatX: (value: number) => string;
  readonly formatValue: (value: number) => string;
}

/**
 * The chart of a panel; undefined if no run has a value. `isFirst`: it has the full width of the page.
 * `marks`: the `stageMarks` of the groups, which all charts share.
 */
export function chartOf(
  kind: ReportData['kind'],
  groups: readonly CurveGroup[],
  panel: Panel,
  chosen: ChartChoice & { readonly isFirst: boolean; readonly marks: readonly ChartMark[] },
): ChartOptions | undefined {
  const { axis, isSmooth, marks } = chosen;
  const [only] = groups[0]?.runs ?? [];
  const choice = { axis, isSmooth, fromStart: true };
  const made =
    kind !== 'run' ? linesOfGroups(groups, panel, choice) : only === undefined ? [] : linesOfRun(only, panel, choice);
  if (made.length === 0) return undefined;
  const lines = made.map(withoutNoise);
  const isLog = chosen.isLog && lines.every(isPositive);
  const isShare = panel.isShare === true;
  const isSuccess = panel.title.startsWith(successTitle);
  const isEvaluated = isSuccess && panel.metrics.some(([name]) => name.startsWith('eval/'));
  const notes = [
    ...(lines.some((line, i) => line !== made[i]) ? ['Constant except for rounding.'] : []),
    ...(chosen.isLog && !isLog ? ['Linear, because some values are not above 0.'] : []),
  ];
  const { formatX, ...x } = axisText(axis, groups);
  return {
    title: panel.title,
    height: chosen.isFirst ? 300 : 220,
    lines,
    // Baselines play the final tasks, as the evaluations do; training plays other tasks.
    levels: isEvaluated ? baselineLevels(groups.flatMap(({ runs }) => runs)) : [],
    marks,
    x: { ...x, range: rangeOf(lines, marks, endOf(groups, axis)) },
    y: {
      title: panel.title,
      isLog,
      ...(isShare ? { size: 0.01, suffix: '\u00a0%' } : { size: 1 }),
      range: isShare && !isLog ? [0, isSuccess ? 1 : topOf(lines)] : undefined,
    },
    note: notes.join(' ') || undefined,
    formatX,
    formatValue: isShare ? shareText(isLog) : lines.every(isWhole) ? short : significant,
  };
}

/** If a line only varies by rounding, it is drawn level. */
function withoutNoise(line: ChartLine): ChartLine {
  const value = constantOf(line.measured ?? line.curve);
  if (value === undefined || line.curve.y.every((one) => one === value || one === null)) return line;
  const level = { ...line.curve, y: line.curve.y.map((one) => (one === null ? null : value)) };
  return { ...line, measured: undefined, band: undefined, curve: level };
}

function isPositive({ curve, band }: ChartLine): boolean {
  return [curve.y, band?.low ?? [], band?.high ?? []].every((y) => y.every((value) => value === null || value > 0));
}

function shareText(isLog: boolean): (value: number) => string {
  return (value) => formatShare(value, isLog && value < 0.01 ? 1 : 0);
}

/** Whether its values are counts. */
function isWhole({ curve, measured = curve }: ChartLine): boolean {
  return measured.y.every((value) => value === null || Number.isInteger(value));
}

/** The end of an axis of shares: above the highest value, and not so low that noise looks large. */
function topOf(lines: readonly ChartLine[]): number {
  const highest = lines
    .flatMap(({ curve, band }) => [...curve.y, ...(band?.high ?? [])])
    .reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return Math.min(1, Math.max(0.05, highest * 1.1));
}

function axisText(axis: CurveAxis, groups: readonly CurveGroup[]): ChartAxis & Pick<ChartOptions, 'formatX'> {
  const whole = { formatX: (value: number) => Math.round(value).toLocaleString('en'), size: 1, isWhole: true };
  if (axis === 'runStep') return { title: 'steps of the run', ...whole };
  if (axis === 'episodes') return { title: 'episodes played for training', ...whole };
  const { unit, size } = timeUnit(endOf(groups, axis));
  return {
    title: `${unit} of work`,
    size,
    formatX: (value) => (size > 1 ? short(value / size) : formatSeconds(value)),
  };
}

/** The last x of the longest run. */
function endOf(groups: readonly CurveGroup[], axis: CurveAxis): number {
  return Math.max(1, ...groups.flatMap(({ runs }) => runs.map(({ series }) => series[axis].at(-1) ?? 0)));
}

/**
 * The ends of the x axis: 0 and the end of the longest run. If at least half of the axis would be empty, it begins at
 * the stage that has the first value; if half of the rest would be empty, it ends at the last value.
 */
function rangeOf(lines: readonly ChartLine[], marks: readonly ChartMark[], end: number): [number, number] {
  const first = Math.min(...lines.flatMap(({ curve }) => curve.x[0] ?? []));
  const last = Math.max(...lines.flatMap(({ curve }) => curve.x.at(-1) ?? []));
  const low = first < end / 2 ? 0 : (marks.findLast(({ x }) => x <= first)?.x ?? 0);
  return [low, last > low && last - low < (end - low) / 2 ? last : end];
}

/** With more starts of one stage than this, as on an axis of time, lines would say nothing. */
const mostStarts = 3;

/** The starts of stages, in order: one for each place where runs begin the stage. Empty if every run has one stage. */
export function stageMarks(groups: readonly CurveGroup[], axis: CurveAxis): ChartMark[] {
  const starts = new Map<string, Set<number>>();
  for (const { stages, series } of groups.flatMap(({ runs }) => runs)) {
    for (const { name } of stages) {
      const first = series.stage.indexOf(name);
      const x = series[axis][Math.max(0, first - (axis === 'runStep' ? 0 : 1))];
      if (first >= 0 && x !== undefined) starts.set(name, (starts.get(name) ?? new Set()).add(x));
    }
  }
  if (starts.size < 2) return [];
  return [...starts]
    .flatMap(([label, places]) => (places.size > mostStarts ? [] : [...places].map((x) => ({ x, label }))))
    .sort((a, b) => a.x - b.x);
}
