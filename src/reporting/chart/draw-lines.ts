import { curveClass, curveDash } from './curve-style.js';
import type { ChartLine } from './chart.js';
import { at, shape, type SvgShape } from './svg-shape.js';

/** Maps values to places in the drawing. */
export interface Scales {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

/** A place in the drawing. */
export type Place = readonly [x: number, y: number];

/** Draws faint lines and bands first, so that none covers a line. */
export function drawLines(lines: readonly ChartLine[], scales: Scales): SvgShape[] {
  const drawn = lines.map((line) => ({ line, stretches: stretchesOf(line, scales) }));
  const group = ({ style, label }: ChartLine, ...shapes: readonly SvgShape[]) =>
    shape('g', { class: curveClass(style) }, shape('title', {}, label), ...shapes);
  const bands = drawn.flatMap(({ line, stretches }) =>
    line.band === undefined
      ? []
      : [group(line, ...stretches.map((of) => shape('path', { class: 'band', d: outline(of.points) })))],
  );
  const curves = drawn.map(({ line, stretches }) =>
    group(
      line,
      ...stretches.map(({ points, whole }) =>
        shape('path', {
          class: line.isFaint === true ? 'faint' : whole ? 'line' : 'thin',
          d: path(points.map(({ x, y }) => [x, y])),
          'stroke-dasharray': curveDash(line.style),
        }),
      ),
      ...pointsToMark(line, stretches).map(({ x, y }) =>
        shape('circle', { class: 'point', cx: at(x), cy: at(y), r: 3 }),
      ),
    ),
  );
  const isFaint = (_: unknown, i: number) => lines[i]?.isFaint === true;
  return [...curves.filter(isFaint), ...bands, ...curves.filter((_, i) => !isFaint(_, i))];
}

/** The drawn places of a line, one list for each part without a gap. */
export function drawnPlaces(line: ChartLine, scales: Scales): readonly (readonly Place[])[] {
  return stretchesOf(line, scales).map(({ points }) => thinned(points.map(({ x, y }) => [x, y])));
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

/** Neighbouring points of a line. `whole`: every part of a mean has values between them. */
interface Stretch {
  readonly whole: boolean;
  readonly points: readonly Point[];
}

function stretchesOf({ curve, band, whole, breaks = [] }: ChartLine, { x, y }: Scales): readonly Stretch[] {
  const stretches: { whole: boolean; points: Point[] }[] = [];
  const interrupted = new Set(breaks);
  let before: Point | undefined;
  let wasWhole = true;
  for (const [i, value] of curve.x.entries()) {
    const mean = curve.y[i];
    if (mean === null || mean === undefined) {
      before = undefined;
      continue;
    }
    const point = { x: x(value), y: y(mean), low: y(band?.low[i] ?? mean), high: y(band?.high[i] ?? mean) };
    const isWhole = whole?.[i] ?? true;
    const last = stretches.at(-1);
    if (before === undefined || interrupted.has(value) || last === undefined)
      stretches.push({ whole: isWhole, points: [point] });
    else if (last.points.length === 1) {
      last.points.push(point);
      last.whole = wasWhole && isWhole;
    } else if (last.whole === (wasWhole && isWhole)) last.points.push(point);
    else stretches.push({ whole: wasWhole && isWhole, points: [before, point] });
    [before, wasWhole] = [point, isWhole];
  }
  return stretches;
}

/** A part of one point has no line, so the point is marked. */
function pointsToMark({ isMarked }: ChartLine, stretches: readonly Stretch[]): readonly Point[] {
  const all = stretches.flatMap(({ points }) => (isMarked || points.length === 1 ? points : []));
  return [...new Set(all)];
}

/**
 * At most four of the points in each unit of x: the first, the lowest, the highest and the last. More would be drawn
 * over each other.
 */
function thinned(points: readonly Place[]): readonly Place[] {
  const kept: Place[] = [];
  for (let first = 0; first < points.length;) {
    const unit = Math.floor(points[first]![0]);
    let [low, high, end] = [first, first, first];
    for (; end < points.length && Math.floor(points[end]![0]) === unit; end += 1) {
      if (points[end]![1] < points[low]![1]) low = end;
      if (points[end]![1] > points[high]![1]) high = end;
    }
    for (const i of [first, Math.min(low, high), Math.max(low, high), end - 1])
      if (points[i] !== kept.at(-1)) kept.push(points[i]!);
    first = end;
  }
  return kept;
}

function path(points: readonly Place[]): string {
  return `M${thinned(points)
    .map(([x, y]) => `${at(x)} ${at(y)}`)
    .join('L')}`;
}

/** Follows the upper edge, and returns along the lower one. */
function outline(points: readonly Point[]): string {
  const back = [...thinned(points.map(({ x, low }): Place => [x, low]))].reverse();
  return `${path(points.map(({ x, high }) => [x, high]))}L${back.map(([x, y]) => `${at(x)} ${at(y)}`).join('L')}Z`;
}
