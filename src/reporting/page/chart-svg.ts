// The visible chart as SVG: the same lines at the same places, as shapes and text that scale on paper. It is built of
// elements, never of text that is parsed as markup.
import type uPlot from 'uplot';

import type { Curve } from '../align-series.js';
import { frame, frameFonts, layOutFrame, type ChartText } from './chart-frame.js';
import { haloWidth, placeLevels, placeMarks } from './chart-marks.js';
import type { ChartLine, ChartOptions } from './chart-content.js';
import { themeColour } from './palette.js';

/** Grid lines with their labels, as last drawn. */
export type AxisTicks = readonly { readonly value: number; readonly text: string }[];

type Attributes = { readonly [name: string]: string | number };

export interface DrawnChart {
  readonly chart: uPlot;
  readonly options: ChartOptions;
  readonly ticks: { readonly x: AxisTicks; readonly y: AxisTicks };
}

export function chartSvg({ chart, options, ticks }: DrawnChart, text: ChartText): Blob {
  const { keys, top, width, height } = layOutFrame(chart, text);
  const { edge, row, swatch, beforeName } = frame;
  const fonts = frameFonts();
  const [ink, quiet] = [themeColour('--ink'), themeColour('--quiet')];
  const [rule, line] = [themeColour('--rule'), themeColour('--line')];
  const ratio = devicePixelRatio;
  const left = edge + chart.bbox.left / ratio;
  const up = top + chart.bbox.top / ratio;
  const [right, down] = [left + chart.bbox.width / ratio, up + chart.bbox.height / ratio];
  const x = (value: number) => left + chart.valToPos(value, 'x');
  const y = (value: number) => up + chart.valToPos(value, 'y');
  const small = { 'font-size': 12, fill: quiet };
  const halo = { stroke: themeColour('--ground'), 'stroke-width': haloWidth, 'stroke-linejoin': 'round' };
  const name = { 'font-size': 11, fill: quiet, ...halo, 'paint-order': 'stroke' };
  const marks = placeMarks(chart, options.marks);
  const levels = placeLevels(chart, options.levels, marks);
  const grid = { stroke: rule, fill: 'none' };
  const clip = { 'clip-path': 'url(#plot)' };
  const svg = shape(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': fonts.family },
    shape('title', {}, text.title),
    shape('clipPath', { id: 'plot' }, shape('rect', { x: left, y: up, width: right - left, height: down - up })),
    shape('rect', { width, height, fill: themeColour('--ground') }),
    words(text.title, edge, edge + row / 2, { 'font-size': 15, 'font-weight': 600, fill: ink }),
    ...keys.flatMap(({ text: key, colour, dash, x: from, row: line }) => {
      const middle = edge + (line + 1.5) * row;
      return [
        shape('path', {
          d: `M${at(edge + from)} ${at(middle)}h${swatch}`,
          stroke: colour,
          'stroke-width': 3,
          ...dashes(dash),
        }),
        words(key, edge + from + beforeName, middle, { 'font-size': 13, fill: ink }),
      ];
    }),
    ...(text.note === '' ? [] : [words(text.note, edge, top - row / 2, { 'font-size': 13, fill: quiet })]),
    ...ticks.x.flatMap(({ value, text: number }) => [
      shape('path', { ...grid, d: `M${at(x(value))} ${at(up)}V${at(down)}` }),
      words(number, x(value), down + 15, { ...small, 'text-anchor': 'middle' }),
    ]),
    ...ticks.y.flatMap(({ value, text: number }) => [
      shape('path', { ...grid, d: `M${at(left)} ${at(y(value))}H${at(right)}` }),
      words(number, left - 10, y(value), { ...small, 'text-anchor': 'end' }),
    ]),
    words(options.xLabel, (left + right) / 2, down + 36, { ...small, 'text-anchor': 'middle' }),
    ...levels.map(({ at: level }) => shape('path', { stroke: line, d: `M${at(left)} ${at(up + level)}H${at(right)}` })),
    ...marks.map(({ at: begin }) =>
      shape('path', { stroke: line, 'stroke-dasharray': '3 3', d: `M${at(left + begin)} ${at(up)}V${at(down)}` }),
    ),
    shape('g', clip, ...options.lines.flatMap((line) => bandOf(line, x, y))),
    shape('g', clip, ...options.lines.flatMap((line) => lineOf(line, x, y))),
    ...[...levels, ...marks].flatMap(({ name: own }) =>
      own === undefined ? [] : [words(own.label, left + own.left, up + own.bottom - 6, name)],
    ),
  );
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });
}

type Place = (value: number) => number;

function bandOf({ band, variable, breaks }: ChartLine, x: Place, y: Place): readonly SVGElement[] {
  if (band === undefined) return [];
  const stretches = stretchesOf(band.low, breaks).map((places) => {
    const low = places.map((i) => `${at(x(band.low.x[i] ?? 0))} ${at(y(band.low.y[i] ?? 0))}`);
    const high = places.map((i) => `${at(x(band.low.x[i] ?? 0))} ${at(y(band.high.y[i] ?? band.low.y[i] ?? 0))}`);
    return `M${[...high, ...low.reverse()].join('L')}Z`;
  });
  return stretches.map((d) => shape('path', { d, fill: themeColour(variable), 'fill-opacity': 0.16 }));
}

function lineOf(
  { curve, variable, dash, marked, faint, breaks }: ChartLine,
  x: Place,
  y: Place,
): readonly SVGElement[] {
  const stroke = themeColour(variable);
  const look = faint === true ? { 'stroke-width': 1, 'stroke-opacity': 0.28 } : { 'stroke-width': 2 };
  const stretches = stretchesOf(curve, breaks).map((places) =>
    places.map((i) => [at(x(curve.x[i] ?? 0)), at(y(curve.y[i] ?? 0))] as const),
  );
  return stretches.flatMap((points) => [
    shape('path', {
      d: `M${points.map((point) => point.join(' ')).join('L')}`,
      fill: 'none',
      stroke,
      ...look,
      ...dashes(dash),
    }),
    ...(marked
      ? points.map(([cx, cy]) => shape('circle', { cx, cy, r: 2.5, fill: themeColour('--ground'), stroke }))
      : []),
  ]);
}

function dashes(dash: readonly number[]): Attributes {
  return dash.length === 0 ? {} : { 'stroke-dasharray': dash.join(' ') };
}

/** Indices of a curve, split at missing values and at breaks: the line has gaps there. */
function stretchesOf({ x, y }: Curve, breaks: ChartLine['breaks'] = []): readonly (readonly number[])[] {
  const stretches: number[][] = [];
  for (const [i, value] of y.entries()) {
    if (value === null) continue;
    const last = stretches.at(-1);
    if (last?.at(-1) === i - 1 && !breaks.some(([, to]) => to === x[i])) last.push(i);
    else stretches.push([i]);
  }
  return stretches;
}

function words(text: string, x: number, y: number, attributes: Attributes): SVGElement {
  return shape('text', { x: at(x), y: at(y), dy: '.35em', ...attributes }, text);
}

function shape(tag: string, attributes: Attributes, ...children: readonly (SVGElement | string)[]): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children.map((child) => (typeof child === 'string' ? forXml(child) : child)));
  return made;
}

/** Names can contain anything: characters that XML forbids become the replacement character. */
function forXml(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}

/** Rounds to a hundredth of a pixel, which nobody sees. */
function at(place: number): number {
  return Number(place.toFixed(2));
}
