import type { ChartLine } from '../chart/chart.js';
import { curveClass } from '../chart/curve-style.js';
import { drawFigure } from '../chart/draw-figure.js';
import { drawPlot, heightBelow, type Plot } from '../chart/draw-plot.js';
import { at, shape, type SvgShape } from '../chart/svg-shape.js';
import type { ChartOptions } from './chart-options.js';
import { copyLink } from './copy-link.js';
import { downloadFile } from './download-file.js';
import { element, replaceChildren } from './element.js';
import { figureImage } from './figure-image.js';
import { moveOfKey } from './key-moves.js';
import { svgElement } from './svg-element.js';
import { swatch } from './swatch.js';

export type LineChart = ReturnType<typeof lineChart>;

/** Size of the text of a plot, in CSS pixels. */
const text = 12;

/** The place along x where all charts show their values; undefined: at their ends. */
let cursor: number | undefined;
const followers = new Set<() => void>();

function moveCursor(to: number | undefined): void {
  if (to === cursor) return;
  cursor = to;
  for (const follow of followers) follow();
}

/**
 * A chart with a legend that shows the values under the pointer. While the chart has the focus, arrow keys move the
 * cursor instead. Its height is the same before and after drawing.
 */
export function lineChart(first: ChartOptions) {
  let options = first;
  const { title, height } = first;
  const legend = element('p.legend.fine');
  const note = element('p.remark');
  const plot = element('div.plot', { tabindex: 0, role: 'img' });
  plot.style.height = `${height}px`;
  const tools = element(
    'span',
    copyLink(`Link to the chart ${title}`, () => ({ chart: title, episode: undefined })),
    saveButton(title, 'PNG', () => figureImage(figureOf(options, isDark() ? 'dark' : 'light'))),
    saveButton(title, 'SVG', () => new Blob([figureOf(options)], { type: 'image/svg+xml' })),
  );
  const head = element('div.chart-head', element('h3', title), tools);
  const caption = element('figcaption', head, legend, note);
  const node = element('figure.chart', { 'data-title': title }, caption, plot);

  /** Every x with a point, rising. */
  let places: readonly number[] = [];
  let width = 0;
  let drawn: Plot | undefined;
  const pointer = svgElement(shape('g', { class: 'cursor' }));

  const showCursor = () => {
    const keys = named(options).map((line) =>
      element('span.key', swatch(line.style), `${line.label} `, element('b', valueOf(line, options))),
    );
    const where = cursor !== undefined && element('span.where', `at ${options.formatX(cursor)}`);
    replaceChildren(legend, ...keys, where);
    pointer.replaceChildren(...(drawn === undefined ? [] : cursorShapes(options, drawn)).map(svgElement));
  };
  const draw = () => {
    if (width > 0) {
      const room = { left: 0, right: width - 4, top: 8, bottom: height - heightBelow(text), text };
      drawn = drawPlot(options, room);
      const frame = { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' };
      const svg = svgElement(shape('svg', frame, ...drawn.shapes));
      svg.append(pointer);
      plot.replaceChildren(svg);
    }
    showCursor();
  };
  /** Draws other values in the same place. The cursor, the focus, the title and the height stay. */
  const update = (given: ChartOptions) => {
    // A place on one axis means nothing on another.
    if (given.x.title !== options.x.title) moveCursor(undefined);
    options = given;
    places = [...new Set(given.lines.flatMap(({ curve }) => curve.x))].sort((a, b) => a - b);
    note.textContent = given.note ?? '';
    note.hidden = given.note === undefined;
    plot.setAttribute('aria-label', `${describe(given)}. Arrow keys read values.`);
    draw();
  };
  plot.addEventListener('pointermove', ({ clientX }) => {
    if (drawn === undefined) return;
    const { x } = drawn;
    const under = clientX - plot.getBoundingClientRect().left;
    const after = countBefore(places, (place) => x(place) < under);
    const [left, right] = places.slice(Math.max(0, after - 1), after + 1);
    if (left === undefined) return;
    moveCursor(right !== undefined && x(right) - under < under - x(left) ? right : left);
  });
  plot.addEventListener('pointerleave', () => moveCursor(undefined));
  plot.addEventListener('blur', () => moveCursor(undefined));
  plot.addEventListener('keydown', (event) => {
    const move = moveOfKey(event, { step: 1, page: 10 });
    if (move === undefined || places.length === 0) return;
    const outside = move < 0 ? places.length : -1;
    const from = cursor === undefined ? outside : countBefore(places, (x) => x <= cursor!) - 1;
    moveCursor(places[Math.min(places.length - 1, Math.max(0, from + move))]);
  });
  const resized = new ResizeObserver(([entry]) => {
    const given = Math.floor(entry?.contentRect.width ?? 0);
    if (given === 0 || given === width) return;
    width = given;
    draw();
  });
  resized.observe(plot);
  followers.add(showCursor);
  update(first);
  return {
    node,
    update,
    dispose() {
      resized.disconnect();
      followers.delete(showCursor);
    },
  };
}

function saveButton(title: string, kind: string, make: () => Blob | Promise<Blob>): HTMLButtonElement {
  const save = async () => downloadFile(`${title}.${kind.toLowerCase()}`, await make());
  const names = { 'aria-label': `Save ${title} as ${kind}`, title: `Save as ${kind}` };
  return element('button.quiet.save', { type: 'button', ...names, onclick: () => void save() }, kind);
}

function named({ lines }: ChartOptions): readonly ChartLine[] {
  return lines.filter(({ isFaint }) => isFaint !== true);
}

/** The last point at or before the cursor. */
function pointOf({ curve }: ChartLine): number {
  return cursor === undefined ? curve.x.length - 1 : countBefore(curve.x, (x) => x <= cursor!) - 1;
}

/** How many of rising places are before something. */
function countBefore(places: readonly number[], isBefore: (place: number) => boolean): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(places[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function valueOf(line: ChartLine, { formatValue }: ChartOptions): string {
  const value = (line.measured ?? line.curve).y[pointOf(line)];
  return value === null || value === undefined ? '–' : formatValue(value);
}

/** A line at the cursor, and the point of each curve whose value is shown. */
function cursorShapes(options: ChartOptions, { x, y, room }: Plot): SvgShape[] {
  if (cursor === undefined) return [];
  const points = named(options).flatMap((line) => {
    const i = pointOf(line);
    const [place, value] = [line.curve.x[i], line.curve.y[i]];
    if (place === undefined || value === null || value === undefined) return [];
    const point = shape('circle', { class: 'point', cx: at(x(place)), cy: at(y(value)), r: 3.5 });
    return [shape('g', { class: curveClass(line.style) }, point)];
  });
  const place = x(cursor);
  if (place < room.left || place > room.right) return [];
  const line = shape('path', { d: `M${at(place)} ${at(room.top)}V${at(room.bottom)}` });
  return [line, ...points];
}

/** The chart as it is read now, for a file. */
function figureOf(options: ChartOptions, scheme?: 'light' | 'dark'): string {
  const lines = options.lines.map((line) => ({ ...line, label: `${line.label} ${valueOf(line, options)}` }));
  const caption = options.note ?? '';
  return drawFigure({ ...options, lines, title: `${describe(options)}.`, caption, isNamed: true }, scheme);
}

function isDark(): boolean {
  return matchMedia('screen and (prefers-color-scheme: dark)').matches;
}

function describe(options: ChartOptions): string {
  const { title, levels, formatValue } = options;
  const lines = named(options).map(({ label, curve, measured = curve }) => {
    const values = measured.y.filter((value) => value !== null);
    const [first, last] = [values[0], values.at(-1)];
    if (first === undefined || last === undefined) return `${label} without values`;
    const highest = values.reduce((most, value) => Math.max(most, value), first);
    return `${label} from ${formatValue(first)} to ${formatValue(last)}, highest ${formatValue(highest)}`;
  });
  return `${title}: ${[...lines, ...levels.map(({ label, y }) => `${label} at ${formatValue(y)}`)].join('; ')}`;
}
