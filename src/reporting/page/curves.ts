import { bandOf, curveOf, runningWindow, smooth, timeUnit, type Axis, type Curve } from '../align-series.js';
import { curveStyle } from '../curve-style.js';
import type { ReportData, ReportRun } from '../report-data.js';
import { element, replaceChildren } from './element.js';
import { duration, percent, short } from './format-number.js';
import { lineChart, type ChartLine, type ChartOptions, type LineChart } from './line-chart.js';
import { choice } from './choice.js';

/** A chart: one metric, or several of one kind. */
interface Panel {
  readonly title: string;
  /** `alone`: its title where it has a chart for itself, as in comparisons; absent: the panel's. */
  readonly metrics: readonly (readonly [name: string, label: string, alone?: string])[];
  readonly isShare?: boolean;
}

/** Shown at once, where a run has them; all others are behind a button. */
const panels: readonly Panel[] = [
  { title: 'Return in training', metrics: [['rollout/return_mean', 'return']] },
  {
    title: 'Turns of an episode',
    metrics: [
      ['rollout/turns_mean', 'turns'],
      ['rollout/horizon', 'horizon', 'Horizon'],
    ],
  },
  {
    title: 'Truncated episodes and invalid actions',
    metrics: [
      ['rollout/truncated', 'truncated', 'Truncated episodes'],
      ['rollout/invalid', 'invalid', 'Invalid actions'],
    ],
    isShare: true,
  },
  { title: 'Groups without a signal', metrics: [['rollout/groups_without_signal', 'groups']], isShare: true },
  { title: 'Loss', metrics: [['train/loss', 'loss']] },
  { title: 'Entropy', metrics: [['train/entropy', 'entropy']] },
  { title: 'Gradient norm', metrics: [['train/gradient_norm', 'norm']] },
  { title: 'Divergence from the reference', metrics: [['train/kl', 'KL']] },
];

const axes: readonly (readonly [Axis, string])[] = [
  ['runStep', 'per step'],
  ['episodes', 'per episode'],
  ['seconds', 'per second'],
];

/** So many curves are told apart; more are switched on by hand. */
const shownAtFirst = 7;

/** Runs that are drawn as one curve. */
interface Group {
  readonly label: string;
  readonly runs: readonly ReportRun[];
  readonly style: ReturnType<typeof curveStyle>;
}

/** The section of charts. */
export interface CurvesSection {
  readonly node: HTMLElement;
  /** For a shortcut. */
  readonly switchAxis: () => void;
  /** Draws what is new; the axis, the chosen curves and a cursor stay. */
  readonly update: (data: ReportData) => void;
}

/** Undefined where there is no curve yet. */
export function curvesSection(first: ReportData): CurvesSection | undefined {
  if (first.runs.every(({ series }) => series.step.length === 0)) return undefined;
  let data = first;
  let groups = groupsOf(data);
  const shown = new Set(groups.slice(0, shownAtFirst).map(({ label }) => label));
  let axis: Axis = 'runStep';
  let all = false;
  let charts = new Map<string, LineChart>();
  const grid = element('div', { class: 'charts' });
  const explain = element('p', { class: 'explain' });
  const toggles = element('div', { class: 'toggles', role: 'group', 'aria-label': 'Curves' });
  const draw = () => {
    const picked = groups.filter(({ label }) => shown.has(label));
    const before = charts;
    charts = new Map();
    for (const options of chartsOf(data, picked, axis, all)) {
      const known = before.get(options.title);
      before.delete(options.title);
      known?.update(options);
      charts.set(options.title, known ?? lineChart(options));
    }
    for (const chart of before.values()) chart.dispose();
    const nodes = [...charts.values()].map(({ node }) => node);
    // A node that is put back where it was loses the focus.
    const isSame = nodes.length === grid.children.length && nodes.every((node, i) => node === grid.children[i]);
    if (!isSame) replaceChildren(grid, ...nodes);
    explain.textContent = explanation(data, groups);
  };
  const drawToggles = () => {
    toggles.hidden = groups.length < 2;
    replaceChildren(toggles, ...groups.map((group) => toggle(group, shown, draw)));
  };
  const axisChoice = choice({
    label: 'Horizontal axis',
    options: axes,
    value: axis,
    onChange: (value) => {
      axis = value;
      draw();
    },
  });
  const more = element('button', { type: 'button', class: 'quiet', 'aria-expanded': 'false' }, 'Show every metric');
  more.addEventListener('click', () => {
    all = !all;
    more.textContent = all ? 'Show fewer metrics' : 'Show every metric';
    more.setAttribute('aria-expanded', String(all));
    draw();
  });
  draw();
  drawToggles();
  const node = element(
    'section',
    { id: 'curves', 'aria-labelledby': 'curves-title' },
    element('div', { class: 'section-head' }, element('h2', { id: 'curves-title' }, 'Curves'), axisChoice.node),
    explain,
    toggles,
    grid,
    more,
  );
  return {
    node,
    switchAxis: axisChoice.next,
    update(given) {
      const known = groups.map(({ label }) => label);
      data = given;
      groups = groupsOf(given);
      const added = groups.filter(({ label }) => !known.includes(label));
      for (const { label } of added) if (shown.size < shownAtFirst) shown.add(label);
      draw();
      if (added.length > 0 || groups.length < known.length) drawToggles();
    },
  };
}

function groupsOf({ cells, runs }: ReportData): Group[] {
  const grouped =
    cells.length === 0
      ? runs.map((run) => ({ label: run.label, runs: [run] }))
      : cells.map(({ id, label }) => ({ label, runs: runs.filter(({ cell }) => cell === id) }));
  // A cell that has not begun has its colour already: those of the others stay what they are.
  return grouped.map((group, i) => ({ ...group, style: curveStyle(i) })).filter((group) => group.runs.length > 0);
}

function explanation(data: ReportData, groups: readonly Group[]): string {
  const marks = 'A dashed line marks where a stage begins.';
  if (data.kind === 'run')
    return `Bands around evaluations are 95 % intervals; thin lines are single steps, thick ones their running mean. ${marks}`;
  const seeds = Math.max(...groups.map(({ runs }) => runs.length));
  return seeds > 1
    ? `A curve is the mean over seeds, its band reaches from the lowest seed to the highest. ${marks}`
    : `One seed each: these curves have no band. ${marks}`;
}

function toggle({ label, style }: Group, shown: Set<string>, draw: () => void): HTMLElement {
  const swatch = element('span', { class: `swatch${style.dash.length > 0 ? ' dashed' : ''}` });
  swatch.style.color = `var(${style.variable})`;
  const button = element(
    'button',
    { type: 'button', class: 'toggle', 'aria-pressed': String(shown.has(label)) },
    swatch,
    label,
  );
  button.addEventListener('click', () => {
    if (!shown.delete(label)) shown.add(label);
    button.setAttribute('aria-pressed', String(shown.has(label)));
    draw();
  });
  return button;
}

/** Each with a title of its own. */
function chartsOf(data: ReportData, groups: readonly Group[], axis: Axis, all: boolean): ChartOptions[] {
  const names = new Set(groups.flatMap(({ runs }) => runs.flatMap(({ series }) => Object.keys(series.metrics))));
  const success = successPanel(names);
  const wanted = panels.map((panel) => ({ ...panel, metrics: panel.metrics.filter(([name]) => names.has(name)) }));
  const known = new Set([...success.metrics, ...wanted.flatMap(({ metrics }) => metrics)].map(([name]) => name));
  const rest = [...names].filter((name) => !known.has(name)).sort();
  const others = rest.map((name): Panel => ({ title: name, metrics: [[name, name.split('/').at(-1) ?? name]] }));
  return [success, ...wanted, ...(all ? others : [])]
    .flatMap((panel) => {
      // Several runs in one chart: one metric each.
      const split =
        data.kind === 'run'
          ? [panel]
          : panel.metrics.map((metric) => ({
              ...panel,
              title: metric[2] ?? panel.title,
              metrics: [metric],
            }));
      return split;
    })
    .flatMap((panel, i) => {
      const lines = data.kind === 'run' ? linesOfRun(groups[0], panel, axis) : linesOfGroups(groups, panel, axis);
      if (lines.every(({ curve }) => curve.x.length === 0)) return [];
      return [
        {
          title: panel.title,
          // The first one is drawn across the page.
          height: i === 0 ? 300 : 220,
          lines,
          ...axisText(axis, groups),
          ...(panel.isShare === true
            ? { formatY: (value: number) => percent(value, 0), stepsY: shareSteps }
            : { formatY: short }),
          ...(panel.title.startsWith(success.title)
            ? { range: [0, 1] as const }
            : panel.isShare === true && { range: [0, topOf(lines)] as const }),
          marks: marksOf(groups[0]?.runs[0], axis),
        },
      ];
    });
}

/** Distances of grid lines that whole percents name. */
const shareSteps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5];

/** The end of an axis of shares: above the highest value, and never so low that noise looks large. */
function topOf(lines: readonly ChartLine[]): number {
  const highest = lines
    .flatMap(({ curve, band }) => [...curve.y, ...(band?.high.y ?? [])])
    .reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return Math.min(1, Math.max(0.05, highest * 1.1));
}

/** Success where it was evaluated, and where it was trained. */
function successPanel(names: ReadonlySet<string>): Panel {
  const evaluated = [...names]
    .flatMap((name): [string, number][] => {
      const temperature = /^eval\/t(.+)\/success$/.exec(name)?.[1];
      return temperature === undefined ? [] : [[name, Number(temperature)]];
    })
    .sort((a, b) => a[1] - b[1])
    .map(([name, temperature]) => {
      const label = `evaluated at temperature ${temperature}`;
      return [name, label, `Success, ${label}`] as const;
    });
  const trained = names.has('rollout/success')
    ? [['rollout/success', 'in training', 'Success in training'] as const]
    : [];
  return { title: 'Success', metrics: [...evaluated, ...trained], isShare: true };
}

function linesOfRun(group: Group | undefined, { metrics }: Panel, axis: Axis): ChartLine[] {
  const series = group?.runs[0]?.series;
  if (series === undefined) return [];
  return metrics.flatMap(([name, label], i): ChartLine[] => {
    const { variable, dash } = curveStyle(i);
    const curve = curveOf(series, name, axis);
    const line = { label, curve, variable, dash, marked: curve.x.length < 30 };
    if (series.metrics[`${name}_low`] !== undefined) {
      const band = { low: curveOf(series, `${name}_low`, axis), high: curveOf(series, `${name}_high`, axis) };
      return [{ ...line, band }];
    }
    const window = runningWindow(curve.x.length);
    if (window === 1 || name === 'rollout/horizon') return [line];
    return [
      { ...line, marked: false, faint: true },
      { ...line, marked: false, curve: smooth(curve, window) },
    ];
  });
}

function linesOfGroups(groups: readonly Group[], { metrics }: Panel, axis: Axis): ChartLine[] {
  const name = metrics[0]?.[0] ?? '';
  return groups.flatMap(({ label, runs, style }): ChartLine[] => {
    const curves = runs.map(({ series }) => curveOf(series, name, axis)).filter(({ x }) => x.length > 0);
    if (curves.length === 0) return [];
    const band = bandOf(curves);
    const window = runningWindow(band.x.length, 100);
    const calm = (curve: Curve) => smooth(curve, window);
    const line = { label, curve: calm(band), ...style, marked: band.x.length < 30 };
    if (curves.length < 2) return [line];
    return [{ ...line, band: { low: calm({ x: band.x, y: band.low }), high: calm({ x: band.x, y: band.high }) } }];
  });
}

/** Distances of grid lines that whole numbers name: 1, 2, 5, 10, ... */
const wholeSteps = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((first) => first * 10 ** i)).flat();

function axisText(axis: Axis, groups: readonly Group[]): Pick<ChartOptions, 'xLabel' | 'formatX' | 'stepsX'> {
  const whole = { formatX: (value: number) => Math.round(value).toLocaleString('en'), stepsX: wholeSteps };
  if (axis === 'runStep') return { xLabel: 'steps of the run', ...whole };
  if (axis === 'episodes') return { xLabel: 'episodes played for training', ...whole };
  const longest = Math.max(0, ...groups.flatMap(({ runs }) => runs.map(({ series }) => series.seconds.at(-1) ?? 0)));
  const { unit, size } = timeUnit(longest);
  return { xLabel: `${unit} of work`, formatX: (value) => (size > 1 ? short(value / size) : duration(value)) };
}

function marksOf(run: ReportRun | undefined, axis: Axis): { x: number; label: string }[] {
  if (run === undefined || run.stages.length < 2) return [];
  return run.stages.flatMap(({ name }) => {
    const first = run.series.stage.indexOf(name);
    const x = run.series[axis][Math.max(0, first - (axis === 'runStep' ? 0 : 1))];
    return first < 0 || x === undefined ? [] : [{ x, label: name }];
  });
}
