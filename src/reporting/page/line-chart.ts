import uPlot from 'uplot';

import { onOneAxis, type Curve } from '../align-series.js';
import { element, replaceChildren } from './element.js';
import { onThemeChange, themeColour } from './palette.js';

/** A line of a chart. */
export interface ChartLine {
  readonly label: string;
  readonly curve: Curve;
  /** CSS variable of its colour. */
  readonly variable: string;
  readonly dash: readonly number[];
  /** Between these lies its band. */
  readonly band?: { readonly low: Curve; readonly high: Curve };
  /** Points are marked: there are few of them. */
  readonly marked: boolean;
  /** Behind the others, and not in the legend: the raw values under a running mean. */
  readonly faint?: boolean;
}

export interface ChartOptions {
  readonly title: string;
  readonly height: number;
  readonly lines: readonly ChartLine[];
  /** Name of the x axis with its unit. */
  readonly xLabel: string;
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  /** Distances that grid lines may have, rising, where only some can be named without rounding. */
  readonly stepsX?: readonly number[];
  readonly stepsY?: readonly number[];
  /** Fixed ends of the y axis. */
  readonly range?: readonly [low: number, high: number];
  /** Places along x that are marked by a name: where stages begin. */
  readonly marks: readonly { readonly x: number; readonly label: string }[];
}

const cursors = uPlot.sync('report');

/** A chart in the page. */
export interface LineChart {
  readonly node: HTMLElement;
  /** Draws other values in the same place, where a cursor and the focus stay; the title and the height do not change. */
  readonly update: (options: ChartOptions) => void;
  readonly dispose: () => void;
}

/**
 * A chart with a legend that shows the values under the pointer, or under a cursor that the arrow keys move while the chart has the focus.
 * Its place is as high before as after drawing.
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
  const node = element('figure', { class: 'chart' }, element('figcaption', {}, element('h3', {}, title), legend), plot);

  let x: readonly number[] = [];
  let columns: readonly (readonly (number | null | undefined)[])[] = [];
  let firstColumn: readonly number[] = [];
  let chart: uPlot | undefined;
  const listening = new AbortController();

  const showLegend = (index: number | null | undefined) => {
    const shown = options.lines.flatMap((line, i): HTMLElement[] => {
      if (line.faint === true) return [];
      const at = index ?? lastIndex(columns[firstColumn[i] as number] ?? []);
      const value = valueNear(columns[firstColumn[i] as number] ?? [], at);
      const swatch = element('span', { class: `swatch${line.dash.length > 0 ? ' dashed' : ''}` });
      swatch.style.color = `var(${line.variable})`;
      const text = value === undefined ? '–' : options.formatY(value);
      return [element('span', { class: 'key' }, swatch, `${line.label} `, element('b', {}, text))];
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
    chart = new uPlot(plotOptions(options, width, showLegend), [x, ...columns] as unknown as uPlot.AlignedData, plot);
  };
  const take = (given: ChartOptions) => {
    options = given;
    const aligned = onOneAxis(
      given.lines.flatMap(({ curve, band }) => (band ? [curve, band.low, band.high] : [curve])),
    );
    x = aligned.x;
    columns = aligned.columns;
    firstColumn = firstColumns(given.lines);
    const described = given.lines.filter(({ faint }) => faint !== true).map(describe(given));
    plot.setAttribute('aria-label', `${title}: ${described.join('; ')}. Arrow keys read values.`);
  };
  const update = (given: ChartOptions) => {
    const before = options;
    const read = chart === undefined || (chart.cursor.left ?? -1) < 0 ? undefined : x[chart.cursor.idx ?? -1];
    take(given);
    if (chart === undefined) return showLegend(null);
    const { width } = chart;
    if (looksOf(before) === looksOf(given)) chart.setData([x, ...columns] as unknown as uPlot.AlignedData);
    else draw(width);
    // Whoever reads values by keys goes on at the same place of the axis.
    if (read !== undefined && plot === document.activeElement) {
      // uPlot takes new scales at the end of this task: by the old ones that place would be another.
      const drawn = chart;
      queueMicrotask(() => setCursorAt(drawn, read));
    } else if ((chart.cursor.left ?? -1) < 0) showLegend(null);
  };
  const resized = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === 0) return;
    // Each in a task of its own: several come into view at once, and a reader may be typing.
    if (chart === undefined) setTimeout(() => !listening.signal.aborted && chart === undefined && draw(width));
    else if (chart.width !== width) chart.setSize({ width, height });
  });
  // Only what comes into view is drawn.
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      resized.observe(plot);
    },
    { rootMargin: '400px' },
  );
  seen.observe(plot);
  const drawForPaper = () => {
    if (chart === undefined && plot.clientWidth > 0) draw(plot.clientWidth);
  };
  addEventListener('beforeprint', drawForPaper, { signal: listening.signal });
  plot.addEventListener('keydown', (event) => moveCursor(event, chart, x));
  plot.addEventListener('blur', () => chart?.setCursor({ left: -10, top: -10 }));
  onThemeChange(() => chart?.redraw(false, true), listening.signal);
  take(first);
  showLegend(null);
  return {
    node,
    update,
    dispose() {
      seen.disconnect();
      resized.disconnect();
      listening.abort();
      chart?.destroy();
      chart = undefined;
    },
  };
}

function plotOptions(
  options: ChartOptions,
  width: number,
  showLegend: (index: number | null | undefined) => void,
): uPlot.Options {
  const { lines, range } = options;
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const { variable, dash, band, marked, faint } of lines) {
    const stroke = () => themeColour(variable);
    series.push({
      stroke: faint === true ? () => withAlpha(themeColour(variable), 0.28) : stroke,
      width: faint === true ? 1 : 2,
      dash: [...dash],
      points: { show: marked, size: 6, fill: () => themeColour('--ground'), stroke },
      spanGaps: false,
    });
    if (band === undefined) continue;
    const at = series.length;
    series.push({ stroke: 'transparent', points: { show: false } }, { stroke: 'transparent', points: { show: false } });
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
      x: { time: false },
      y: range === undefined ? {} : { range: () => [range[0], range[1]] },
    },
    axes: [
      {
        ...axis,
        label: options.xLabel,
        labelSize: 18,
        size: 30,
        space: 64,
        values: (_, splits) => splits.map((value) => options.formatX(value)),
        ...(options.stepsX && { incrs: [...options.stepsX] }),
      },
      {
        ...axis,
        size: 58,
        space: 36,
        values: (_, splits) => splits.map((value) => options.formatY(value)),
        ...(options.stepsY && { incrs: [...options.stepsY] }),
      },
    ],
    legend: { show: false },
    cursor: { sync: { key: cursors.key, setSeries: false }, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: {
      setCursor: [(chart) => showLegend((chart.cursor.left ?? -1) < 0 ? null : chart.cursor.idx)],
      drawClear: [(chart) => drawMarks(chart, options.marks)],
    },
  };
}

/** Where stages begin: a line with its name at the top. */
function drawMarks(chart: uPlot, marks: ChartOptions['marks']): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = themeColour('--mark');
  ctx.fillStyle = themeColour('--quiet');
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textBaseline = 'top';
  for (const { x, label } of marks) {
    const left = Math.round(chart.valToPos(x, 'x', true));
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(label, left + 4 * ratio, bbox.top + 2 * ratio);
  }
  ctx.restore();
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

/** What a chart is made with for good; the same looks take other values without being made anew. */
function looksOf({ lines, xLabel, range, marks }: ChartOptions): string {
  const looks = lines.map(({ label, variable, dash, band, marked, faint }) => [
    label,
    variable,
    dash,
    band !== undefined,
    marked,
    faint,
  ]);
  return JSON.stringify([looks, xLabel, range, marks]);
}

function firstColumns(lines: readonly ChartLine[]): number[] {
  let next = 0;
  return lines.map(({ band }) => {
    const own = next;
    next += band === undefined ? 1 : 3;
    return own;
  });
}

function lastIndex(column: readonly (number | null | undefined)[]): number {
  return column.findLastIndex((value) => value !== null && value !== undefined);
}

/** The value at an index, or the last one before it. */
function valueNear(column: readonly (number | null | undefined)[], index: number): number | undefined {
  for (let i = index; i >= 0; i -= 1) {
    const value = column[i];
    if (value !== null && value !== undefined) return value;
  }
  return undefined;
}

function describe({ formatY }: ChartOptions): (line: ChartLine) => string {
  return ({ label, curve }) => {
    const values = curve.y.filter((value) => value !== null);
    const [first, last] = [values[0], values.at(-1)];
    if (first === undefined || last === undefined) return `${label} without values`;
    return `${label} from ${formatY(first)} to ${formatY(last)}, highest ${formatY(Math.max(...values))}`;
  };
}

/** Of a colour written as #rrggbb. */
function withAlpha(colour: string, alpha: number): string {
  return `${colour}${Math.round(alpha * 255)
    .toString(16)
    .padStart(2, '0')}`;
}
