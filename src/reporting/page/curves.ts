import type { CurveAxis } from '../chart/align-series.js';
import type { ChartMark } from '../chart/chart.js';
import { isLongEnough, type CurveGroup } from '../chart/group-lines.js';
import type { ReportData } from '../report-data.js';
import { chartGrid } from './chart-grid.js';
import { bestFirst } from './chart-lines.js';
import { chartOf, stageMarks, type ChartChoice } from './chart-options.js';
import { choice } from './choice.js';
import { element, replaceChildren, showNodes } from './element.js';
import { searchWords } from './search-words.js';
import { onPlace, placed } from './fragment.js';
import { matchesPanel, panelsOf, type Panel } from './metric-panels.js';
import { explainCurves } from './explain-curves.js';
import { searchField } from './search-field.js';
import { section } from './section.js';
import { swatch } from './swatch.js';

const axes: readonly (readonly [CurveAxis, string])[] = [
  ['runStep', 'per step'],
  ['episodes', 'per episode'],
  ['seconds', 'per second'],
];

/** A reader can tell this many curves apart; more can be switched on by hand. */
const shownAtFirst = 7;

/** The reader's choices. */
interface View extends ChartChoice {
  /** Whether every metric is shown. */
  readonly all: boolean;
  readonly words: readonly string[];
}

/** The section of charts. Undefined if there is no curve yet. */
export function curvesSection(first: ReportData) {
  if (first.runs.every(({ series }) => series.step.length === 0)) return undefined;
  let data = first;
  const shown = new Set(
    bestFirst(groupsOf(data, []))
      .slice(0, shownAtFirst)
      .map(({ label }) => label),
  );
  // The curves that are shown at first have the first colours, so that these differ.
  const coloured = [...shown];
  let groups = groupsOf(data, coloured);
  let view: View = { axis: 'runStep', isSmooth: true, isLog: false, all: false, words: [] };
  const grids = new Map<string, ReturnType<typeof chartGrid>>();
  const charts = element('div.chart-groups');
  const explain = element('p.explain');
  const found = element('p.explain', { role: 'status' });
  const toggles = element('div.toggles', { role: 'group', 'aria-label': 'Curves' });
  const draw = () => {
    const picked = groups.filter(({ label }) => shown.has(label));
    const marks = stageMarks(picked, view.axis);
    const wanted = chartGroups(data, picked, view, marks);
    for (const [title, grid] of grids) if (!wanted.some((group) => group.title === title)) grid.draw([]);
    for (const { title, charts: options } of wanted) {
      if (!grids.has(title)) grids.set(title, chartGrid(title));
      grids.get(title)?.draw(options);
    }
    showNodes(
      charts,
      wanted.flatMap(({ title }) => grids.get(title)?.node ?? []),
    );
    const drawn = wanted.flatMap(({ charts: options }) => options);
    explain.textContent = [explainCurves(data.kind, picked, drawn), hiddenCurves(groups.length, picked.length)]
      .filter((text) => text !== '')
      .join(' ');
    found.hidden = view.words.length === 0;
    const count = wanted.reduce((sum, { charts: { length } }) => sum + length, 0);
    found.textContent = count === 0 ? 'No metric with this name.' : `${count} ${count === 1 ? 'chart' : 'charts'}`;
    smoothChoice.node.hidden = !isLongEnough(data.runs);
  };
  const change = (changes: Partial<View>) => {
    view = { ...view, ...changes };
    draw();
  };
  const drawToggles = () => {
    toggles.hidden = groups.length < 2;
    replaceChildren(toggles, ...groups.map((group) => toggle(group, shown, draw)));
  };
  const axisChoice = choice({
    label: 'Horizontal axis',
    options: axes,
    value: view.axis,
    place: 'axis',
    onChange: (axis) => change({ axis }),
  });
  const scaleChoice = choice<'linear' | 'log'>({
    label: 'Vertical axis',
    options: [
      ['linear', 'linear'],
      ['log', 'logarithmic'],
    ],
    value: 'linear',
    place: 'scale',
    onChange: (scale) => change({ isLog: scale === 'log' }),
  });
  const smoothChoice = choice<'smooth' | 'measured'>({
    label: 'Lines',
    options: [
      ['smooth', 'running mean'],
      ['measured', 'as measured'],
    ],
    value: 'smooth',
    place: 'lines',
    onChange: (lines) => change({ isSmooth: lines === 'smooth' }),
  });
  const search = searchField('Name of a metric', (typed) => change({ words: searchWords(typed) }));
  const more = element(
    'button.quiet',
    { type: 'button', 'aria-expanded': 'false', onclick: () => showAll(!view.all) },
    'Show every metric',
  );
  const showAll = (all: boolean) => {
    change({ all });
    more.textContent = view.all ? 'Show fewer metrics' : 'Show every metric';
    more.setAttribute('aria-expanded', String(view.all));
  };
  draw();
  drawToggles();
  const controls = element('div.chart-controls', search, scaleChoice.node, smoothChoice.node, axisChoice.node);
  const node = section('curves', 'Curves', [controls], explain, toggles, found, charts, more);
  /** Shows the chart that the address names. */
  const follow = () => {
    const title = placed('chart');
    if (title === undefined) return;
    const chart = () =>
      [...charts.querySelectorAll<HTMLElement>('.chart')].find((one) => one.dataset['title'] === title);
    if (chart() === undefined && !view.all) showAll(true);
    chart()?.scrollIntoView({ block: 'center' });
  };
  onPlace(follow);
  return {
    node,
    /** For a shortcut. */
    switchAxis: axisChoice.next,
    /** Takes the choices and the chart of the address, when the page is drawn. */
    follow: () => {
      for (const one of [axisChoice, scaleChoice, smoothChoice]) one.follow();
      follow();
    },
    /** Draws new data; the axis, the selected curves, the search text and the cursor stay. */
    update(given: ReportData) {
      const known = groups.map(({ label }) => label);
      data = given;
      groups = groupsOf(given, coloured);
      const added = groups.filter(({ label }) => !known.includes(label));
      for (const { label } of added) if (shown.size < shownAtFirst) shown.add(label);
      draw();
      if (added.length > 0 || groups.length < known.length) drawToggles();
    },
  };
}

/** @param coloured labels of the groups that have the first colours */
function groupsOf({ cells, runs }: ReportData, coloured: readonly string[]): CurveGroup[] {
  const grouped =
    cells.length === 0
      ? runs.map((run) => ({ label: run.label, runs: [run] }))
      : cells.map(({ id, label }) => ({ label, runs: runs.filter(({ cell }) => cell === id) }));
  const isLater = ({ label }: { readonly label: string }) => Number(!coloured.includes(label));
  const order = [...grouped].sort((a, b) => isLater(a) - isLater(b));
  // Cells that have not begun reserve their colours, so the colours of the others never change.
  return grouped.map((group) => ({ ...group, style: order.indexOf(group) })).filter((group) => group.runs.length > 0);
}

function hiddenCurves(all: number, shown: number): string {
  if (shown === all) return '';
  const first = all > shownAtFirst ? ` At first, these are the ${shownAtFirst} with the highest final success.` : '';
  return `${shown} of ${all} curves are shown; click a name to show or hide its curve.${first}`;
}

function toggle({ label, style }: CurveGroup, shown: Set<string>, draw: () => void): HTMLElement {
  const flip = () => {
    if (!shown.delete(label)) shown.add(label);
    button.setAttribute('aria-pressed', String(shown.has(label)));
    draw();
  };
  const attributes = { type: 'button', 'aria-pressed': String(shown.has(label)), onclick: flip };
  const button = element('button.toggle', attributes, swatch(style), label);
  return button;
}

/** Charts grouped under headings; the first charts have no heading. */
function chartGroups(data: ReportData, groups: readonly CurveGroup[], view: View, marks: readonly ChartMark[]) {
  const names = new Set(groups.flatMap(({ runs }) => runs.flatMap(({ series }) => Object.keys(series.metrics))));
  const { first, others } = panelsOf(names);
  const isSearched = view.words.length > 0;
  return [{ title: '', panels: first }, ...(view.all || isSearched ? others : [])]
    .map(({ title, panels }) => ({
      title,
      charts: panels
        .filter((panel) => matchesPanel(panel, view.words))
        .flatMap((panel) =>
          splitPanel(data.kind, panel).map((part, i) => ({ part, isFirst: panel === first[0] && i === 0 })),
        )
        .flatMap(({ part, isFirst }) => chartOf(data.kind, groups, part, { ...view, isFirst, marks }) ?? []),
    }))
    .filter(({ charts }) => charts.length > 0);
}

/** For several runs, each chart has one metric. */
function splitPanel(kind: ReportData['kind'], panel: Panel): Panel[] {
  if (kind === 'run') return [panel];
  return panel.metrics.map((metric) => ({ ...panel, title: metric[2] ?? panel.title, metrics: [metric] }));
}
