import uPlot from 'uplot';

import { onOneAxis } from '../align-series.js';
import type { ChartLine, ChartOptions } from './chart-content.js';
import type { ChartText } from './chart-frame.js';
import { chartImage } from './chart-image.js';
import { drawMarkLines, drawMarkNames } from './chart-marks.js';
import { chartSvg, type AxisTicks } from './chart-svg.js';
import { downloadFile } from './download-file.js';
import { drawInTurn } from './draw-in-turn.js';
import { copyLink } from './copy-link.js';
import { element, replaceChildren } from './element.js';
import { onThemeChange, themeColour } from './palette.js';
import { swatch } from './swatch.js';

const cursors = uPlot.sync('report');

/** A chart in the page. */
export interface LineChart {
  readonly node: HTMLElement;
  /** Draws other values in the same place. The cursor, the focus, the title and the height stay. */
  readonly update: (options: ChartOptions) => void;
  readonly dispose: () => void;
}

/**
 * A chart with a legend that shows the values under the pointer. While the chart has the focus, arrow keys move a
 * cursor instead. Its height is the same before and after drawing.
 */
export function lineChart(first: ChartOptions): LineChart {
  let options = first;
  const { title, height } = first;
  const legend = element('p', { class: 'legend' });
  const plot = element('div', {
    class: 'plot',
    tabindex: 0,
    role: 'img',
  });
  plot.style.height = `${height}px`;
  const [savePng, saveSvg] = ['PNG', 'SVG'].map((kind) =>
    element(
      'button',
      { type: 'button', class: 'quiet save', 'aria-label': `Save ${title} as ${kind}`, title: `Save as ${kind}` },
      kind,
    ),
  ) as [HTMLButtonElement, HTMLButtonElement];
  const link = copyLink(`Link to the chart ${title}`, () => ({ chart: title, episode: undefined }));
  const note = element('p', { class: 'remark' });
  const head = element(
    'div',
    { class: 'chart-head' },
    element('h3', {}, title),
    element('span', {}, link, savePng, saveSvg),
  );
  const node = element(
    'figure',
    { class: 'chart', 'data-title': title },
    element('figcaption', {}, head, legend, note),
    plot,
  );

  let x: readonly number[] = [];
  let columns: readonly (readonly (number | null | undefined)[])[] = [];
  /** The values for the legend, by line. */
  let read: readonly (readonly (number | null | undefined)[])[] = [];
  let chart: uPlot | undefined;
  /** The current labels of the axes. */
  const ticks: Ticks = { x: [], y: [] };
  /** Cancels a pending drawing. */
  let forget: () => void = () => {};
  const listening = new AbortController();

  const showLegend = (index: number | null | undefined) => {
    const shown = options.lines.flatMap((line, i): HTMLElement[] => {
      if (line.faint === true) return [];
      const value = valueNear(read[i] ?? [], index ?? x.length - 1);
      const text = value === undefined ? '–' : options.formatValue(value);
      return [element('span', { class: 'key' }, swatch(line), `${line.label} `, element('b', {}, text))];
    });
    const where = index === null || index === undefined ? undefined : x[index];
    replaceChildren(
      legend,
      ...shown,
      where !== undefined && element('span', { class: 'where' }, `at ${options.formatX(where)}`),
    );
  };

  const draw = (width: number) => {
    chart?.destroy();
    chart = new uPlot(
      plotOptions(() => options, width, ticks, showLegend),
      [x, ...columns] as unknown as uPlot.AlignedData,
      plot,
    );
  };
  const take = (given: ChartOptions) => {
    options = given;
    const aligned = onOneAxis(
      given.lines.flatMap(({ curve, band }) => (band ? [curve, band.low, band.high] : [curve])),
    );
    x = aligned.x;
    columns = aligned.columns;
    read = onOneAxis(given.lines.map(({ curve, measured }) => measured ?? curve)).columns;
    note.textContent = given.note ?? '';
    note.hidden = given.note === undefined;
    const described = given.lines.filter(({ faint }) => faint !== true).map(describe(given));
    const levels = given.levels.map(({ label, y }) => `; ${label} at ${given.formatValue(y)}`);
    plot.setAttribute('aria-label', `${title}: ${described.join('; ')}${levels.join('')}. Arrow keys read values.`);
  };
  const update = (given: ChartOptions) => {
    const before = options;
    const held = chart === undefined || (chart.cursor.left ?? -1) < 0 ? undefined : x[chart.cursor.idx ?? -1];
    take(given);
    if (chart === undefined) return showLegend(null);
    const { width } = chart;
    if (looksOf(before) === looksOf(given)) chart.setData([x, ...columns] as unknown as uPlot.AlignedData);
    else draw(width);
    // Reading values with keys continues at the same position of the axis.
    if (held !== undefined && plot === document.activeElement) {
      // uPlot applies new scales at the end of this task; before that, the position would be wrong.
      const drawn = chart;
      queueMicrotask(() => setCursorAt(drawn, held));
    } else if ((chart.cursor.left ?? -1) < 0) showLegend(null);
  };
  const resized = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === 0) return;
    if (chart !== undefined) {
      if (chart.width !== width) chart.setSize({ width, height });
      return;
    }
    forget();
    forget = drawInTurn(() => draw(width));
  });
  resized.observe(plot);
  const textOf = (): ChartText => ({ title, legend: legendText(legend, options.lines), note: options.note ?? '' });
  savePng.addEventListener('click', () => {
    const drawn = plot.querySelector('canvas');
    if (drawn !== null) void chartImage(drawn, textOf()).then((image) => downloadFile(`${title}.png`, image));
  });
  saveSvg.addEventListener('click', () => {
    if (chart !== undefined) downloadFile(`${title}.svg`, chartSvg({ chart, options, ticks }, textOf()));
  });
  plot.addEventListener('keydown', (event) => moveCursor(event, chart, x));
  plot.addEventListener('blur', () => chart?.setCursor({ left: -10, top: -10 }));
  onThemeChange(() => chart?.redraw(false, true), listening.signal);
  take(first);
  showLegend(null);
  return {
    node,
    update,
    dispose() {
      forget();
      resized.disconnect();
      listening.abort();
      chart?.destroy();
      chart = undefined;
    },
  };
}

/** The names and values of the legend, each with the look of its line. */
function legendText(legend: HTMLElement, lines: readonly ChartLine[]): ChartText['legend'] {
  const keys = [...legend.querySelectorAll<HTMLElement>('.key')];
  return lines
    .filter(({ faint }) => faint !== true)
    .map(({ variable, dash }, i) => ({ text: keys[i]?.innerText ?? '', colour: themeColour(variable), dash }));
}

type Ticks = { x: AxisTicks; y: AxisTicks };

/** `current`: the data to show, which later updates replace. `ticks` are recorded when they are drawn. */
function plotOptions(
  current: () => ChartOptions,
  width: number,
  ticks: Ticks,
  showLegend: (index: number | null | undefined) => void,
): uPlot.Options {
  const options = current();
  const { lines, range, isLog } = options;
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const [i, { variable, dash, band, marked, faint }] of lines.entries()) {
    const gaps: uPlot.Series.GapsRefiner = (chart, _, __, ___, found) =>
      [...found, ...breaksInPixels(chart, current().lines[i])].sort(([a], [b]) => a - b);
    const stroke = () => themeColour(variable);
    series.push({
      stroke: faint === true ? () => withAlpha(themeColour(variable), 0.28) : stroke,
      width: faint === true ? 1 : 2,
      dash: [...dash],
      points: { show: marked, size: 6, fill: () => themeColour('--ground'), stroke },
      spanGaps: false,
      gaps,
    });
    if (band === undefined) continue;
    const at = series.length;
    const edge: uPlot.Series = { stroke: 'transparent', points: { show: false }, gaps };
    series.push(edge, { ...edge });
    bands.push({ series: [at + 1, at], fill: () => withAlpha(themeColour(variable), 0.16) } as unknown as uPlot.Band);
  }
  const axis: uPlot.Axis = {
    stroke: () => themeColour('--quiet'),
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    labelFont: `12px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: () => themeColour('--rule'), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: options.height,
    series,
    bands,
    scales: {
      x: { time: false, range: () => [...current().rangeX] },
      y: { distr: isLog ? 3 : 1, ...(range !== undefined && { range: () => [range[0], range[1]] }) },
    },
    axes: [
      {
        ...axis,
        label: options.xLabel,
        labelSize: 18,
        size: 30,
        space: 64,
        splits: (chart, _, low, high, step) => splitsOf(low, high, step, chart.bbox.width / devicePixelRatio),
        values: (_, splits) => {
          ticks.x = splits.map((value) => ({ value, text: options.formatX(value) }));
          return ticks.x.map(({ text }) => text);
        },
        ...(options.stepsX && { incrs: [...options.stepsX] }),
      },
      {
        ...axis,
        size: 58,
        space: 36,
        // On a logarithmic axis, some grid lines have no label.
        values: (_, splits: (number | null)[]) => {
          ticks.y = splits.flatMap((value) => (value === null ? [] : [{ value, text: options.formatY(value) }]));
          return splits.map((value) => (value === null ? '' : options.formatY(value)));
        },
        ...(!isLog && options.stepsY && { incrs: [...options.stepsY] }),
      },
    ],
    legend: { show: false },
    cursor: { sync: { key: cursors.key, setSeries: false }, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: {
      setCursor: [(chart) => showLegend((chart.cursor.left ?? -1) < 0 ? null : chart.cursor.idx)],
      drawAxes: [(chart) => drawMarkLines(chart, options.marks, options.levels)],
      draw: [(chart) => drawMarkNames(chart, options.marks, options.levels)],
    },
  };
}

/** Grid lines along x. If the axis does not begin at one of them, its beginning is labelled too, where it has room. */
function splitsOf(low: number, high: number, step: number, width: number): number[] {
  const first = Math.ceil(low / step - 1e-9);
  const splits = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
  const room = (((splits[0] ?? high) - low) / (high - low)) * width;
  return room > 32 ? [low, ...splits] : splits;
}

/** Gaps of a line at its breaks, wide enough for the stroke of a steep line. */
function breaksInPixels(chart: uPlot, line: ChartLine | undefined): uPlot.Series.Gaps {
  const half = 1.5 * devicePixelRatio;
  return (line?.breaks ?? []).map(([from, to]) => [
    chart.valToPos(from, 'x', true) - half,
    chart.valToPos(to, 'x', true) + half,
  ]);
}

function moveCursor(event: KeyboardEvent, chart: uPlot | undefined, x: readonly number[]): void {
  const moves: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    PageUp: -10,
    PageDown: 10,
    Home: -Infinity,
    End: Infinity,
  };
  const move = moves[event.key];
  if (chart === undefined || move === undefined || x.length === 0) return;
  event.preventDefault();
  const isOff = (chart.cursor.left ?? -1) < 0;
  const from = isOff ? (move < 0 ? x.length : -1) : (chart.cursor.idx ?? 0);
  const to = Math.min(x.length - 1, Math.max(0, from + move));
  setCursorAt(chart, x[to] ?? 0);
}

function setCursorAt(chart: uPlot, x: number): void {
  chart.setCursor({ left: chart.valToPos(x, 'x'), top: chart.over.clientHeight / 2 });
}

/** The fixed settings of a chart. If they stay the same, a chart gets new values without being created again. */
function looksOf({ lines, levels, isLog, xLabel, range, marks }: ChartOptions): string {
  const looks = lines.map(({ label, variable, dash, band, marked, faint }) => [
    label,
    variable,
    dash,
    band !== undefined,
    marked,
    faint,
  ]);
  return JSON.stringify([looks, levels, isLog, xLabel, range, marks]);
}

/** The value at an index, or the last one before it. */
function valueNear(column: readonly (number | null | undefined)[], index: number): number | undefined {
  for (let i = index; i >= 0; i -= 1) {
    const value = column[i];
    if (value !== null && value !== undefined) return value;
  }
  return undefined;
}

function describe({ formatValue }: ChartOptions): (line: ChartLine) => string {
  return ({ label, curve, measured = curve }) => {
    const values = measured.y.filter((value) => value !== null);
    const [first, last] = [values[0], values.at(-1)];
    if (first === undefined || last === undefined) return `${label} without values`;
    return `${label} from ${formatValue(first)} to ${formatValue(last)}, highest ${formatValue(Math.max(...values))}`;
  };
}

/** Adds transparency to a colour in the form #rrggbb. */
function withAlpha(colour: string, alpha: number): string {
  return `${colour}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
