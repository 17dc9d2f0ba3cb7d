import { curveStyle } from '../curve-style.js';
import type { FigureLine } from './figure.js';
import { xmlText } from './figure-text.js';

/** Maps values to places in the figure. */
export interface Scales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly whole: boolean;
}

/** The class that sets the colour of a line. */
export function curveClass(style: number): string {
  return curveStyle(style).variable.replace('--', '');
}

/** The dashes as an attribute; empty for a solid line. */
export function dashes(style: number): string {
  const { dash } = curveStyle(style);
  return dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
}

/** Draws the bands first, so that no band covers a line. */
export function drawLines(lines: readonly FigureLine[], scales: Scales): string[] {
  const drawn = lines.map((line) => {
    const points = pointsOf(line, scales);
    return { line, points, stretches: stretchesOf(points) };
  });
  const bands = drawn.flatMap(({ line, stretches }) =>
    line.band === undefined
      ? []
      : [
          `<g class="${curveClass(line.style)}">`,
          ...stretches.map(({ points }) => `<path class="band" d="${outline(points)}"/>`),
          '</g>',
        ],
  );
  const curves = drawn.flatMap(({ line, points, stretches }) => [
    `<g class="${curveClass(line.style)}"><title>${xmlText(line.label)}</title>`,
    ...stretches.map(
      (stretch) =>
        `<path class="${stretch.whole ? 'line' : 'thin'}" d="${path(stretch.points)}"${dashes(line.style)}/>`,
    ),
    ...(line.isMarked || points.length === 1
      ? points.map(({ x, y }) => `<circle class="point" cx="${at(x)}" cy="${at(y)}" r="3"/>`)
      : []),
    '</g>',
  ]);
  return [...bands, ...curves];
}

function pointsOf({ curve, band, whole }: FigureLine, { x, y }: Scales): Point[] {
  return curve.x.flatMap((value, i): Point[] => {
    const mean = curve.y[i];
    if (mean === null || mean === undefined) return [];
    const [low, high] = [band?.low[i] ?? mean, band?.high[i] ?? mean];
    return [{ x: x(value), y: y(mean), low: y(low), high: y(high), whole: whole?.[i] ?? true }];
  });
}

/** Neighbouring points of a line. `whole`: every seed has values between them; otherwise fewer seeds do. */
interface Stretch {
  readonly whole: boolean;
  readonly points: readonly Point[];
}

function stretchesOf(points: readonly Point[]): readonly Stretch[] {
  const stretches: { whole: boolean; points: Point[] }[] = [];
  for (const [i, point] of points.entries()) {
    const before = points[i - 1];
    if (before === undefined) continue;
    const whole = before.whole && point.whole;
    const last = stretches.at(-1);
    if (last?.whole === whole) last.points.push(point);
    else stretches.push({ whole, points: [before, point] });
  }
  return stretches;
}

function path(points: readonly Point[]): string {
  return points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${at(x)} ${at(y)}`).join('');
}

/** Follows the upper edge, and returns along the lower one. */
function outline(points: readonly Point[]): string {
  const edge = [
    ...points.map(({ x, high }) => ({ x, y: high })),
    ...points.map(({ x, low }) => ({ x, y: low })).reverse(),
  ];
  return `${edge.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${at(x)} ${at(y)}`).join('')}Z`;
}

/** Rounds to a hundredth of a unit, which nobody sees. */
export function at(place: number): string {
  return String(Number(place.toFixed(2)));
}
