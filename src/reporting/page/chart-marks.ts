import type uPlot from 'uplot';

import { themeColour } from './palette.js';
import { freestPlace, type Box, type Polyline } from './place-name.js';

/** A horizontal line across the chart with a name at its end, for values that training does not change. */
export interface ChartLevel {
  readonly label: string;
  readonly y: number;
}

/** A place along x where a stage begins. */
export interface ChartMark {
  readonly x: number;
  readonly label: string;
}

/** Height of a name in CSS pixels. */
const textHeight = 13;
/** Width of the stroke around a name. */
export const haloWidth = 5;
/** Room between a name and the end of the plot, or the line of its stage. */
const besideName = 4;
/** Room between the name of a baseline and its line, so that the halo leaves the line whole. */
const aboveLine = haloWidth / 2 + 1;
/** A name that is this close to another baseline could belong to it. */
const closeBy = 8;

/** A line with its name; places are in CSS pixels from the upper left corner of the plot. */
interface PlacedMark {
  readonly at: number;
  /** Absent if it does not fit. */
  readonly name?: PlacedName;
}

interface PlacedName {
  readonly label: string;
  readonly left: number;
  readonly bottom: number;
}

/** The starts of stages that are within the x axis. A name has room up to the next line. */
export function placeMarks(chart: uPlot, marks: readonly ChartMark[]): readonly PlacedMark[] {
  const { width } = sizeOf(chart);
  const seen = marks
    .map(({ x, label }) => ({ label, at: chart.valToPos(x, 'x') }))
    .filter(({ at }) => at >= 0 && at <= width);
  return seen.map(({ at, label }, i): PlacedMark => {
    const left = at + besideName;
    const fits = left + nameWidth(chart, label) <= (seen[i + 1]?.at ?? width);
    return { at, ...(fits && { name: { label, left, bottom: textHeight + 2 } }) };
  });
}

/**
 * Baselines: horizontal lines, each with its name where it hides the least of the curves: at the right end, at the left
 * end, or between them.
 */
export function placeLevels(
  chart: uPlot,
  levels: readonly ChartLevel[],
  marks: readonly PlacedMark[],
): readonly PlacedMark[] {
  const { width, height } = sizeOf(chart);
  const seen = seenLevels(chart, levels);
  const lines: Polyline[] = [
    ...(seen.length === 0 ? [] : curvesOf(chart)),
    ...marks.map(({ at }): Polyline => [
      [at, 0],
      [at, height],
    ]),
  ];
  const taken = marks.flatMap(({ name }) => (name === undefined ? [] : [boxOf(chart, name)]));
  return seen.map(({ label, at }, i): PlacedMark => {
    const own = nameWidth(chart, label);
    const [first, last] = [besideName, width - besideName - own];
    const lefts = [last, first, ...Array.from({ length: 9 }, (_, k) => last - ((last - first) * (k + 1)) / 10)];
    // Above its line if there is room, else below it.
    const bottoms = [at - aboveLine, at + textHeight + aboveLine].filter((y) => y >= textHeight && y <= height);
    // A name on another baseline would be read as the name of that one, so it is left out.
    const hits = ({ top, bottom }: Box) => seen.some((other, k) => k !== i && top < other.at && other.at < bottom);
    const names = bottoms
      .flatMap((bottom) => lefts.map((left): PlacedName => ({ label, left, bottom })))
      .filter((name) => !hits(boxOf(chart, name)));
    const places = names.map((name) => boxOf(chart, name));
    // A name close to another baseline would seem to belong to it.
    const others = seen
      .filter((_, k) => k !== i)
      .flatMap((other) => [-closeBy, closeBy].map((by): Polyline => [[0, other.at + by], [width, other.at + by]])); // prettier-ignore
    const place = freestPlace(places, [...lines, ...others], taken);
    if (place === undefined) return { at };
    taken.push(place);
    return { at, name: names[places.indexOf(place)]! };
  });
}

/** Draws the lines of baselines and stages below the curves. */
export function drawMarkLines(chart: uPlot, marks: readonly ChartMark[], levels: readonly ChartLevel[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = themeColour('--line');
  ctx.lineWidth = ratio;
  // A line of an odd width is sharp only between two pixels.
  const sharp = (place: number) => Math.round(place) + (Math.round(ratio) % 2) / 2;
  for (const { at } of seenLevels(chart, levels)) {
    const y = sharp(bbox.top + at * ratio);
    line(ctx, [bbox.left, y], [bbox.left + bbox.width, y]);
  }
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { at } of placeMarks(chart, marks)) {
    const x = sharp(bbox.left + at * ratio);
    line(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
  }
  ctx.restore();
}

/** Draws their names above the curves. Each has a halo in the background colour, so that no line hides a name. */
export function drawMarkNames(chart: uPlot, marks: readonly ChartMark[], levels: readonly ChartLevel[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = markFont(ratio);
  ctx.fillStyle = themeColour('--quiet');
  ctx.strokeStyle = themeColour('--ground');
  ctx.lineWidth = haloWidth * ratio;
  ctx.lineJoin = 'round';
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'left';
  const begins = placeMarks(chart, marks);
  for (const { name } of [...placeLevels(chart, levels, begins), ...begins]) {
    if (name === undefined) continue;
    const place = [bbox.left + name.left * ratio, bbox.top + name.bottom * ratio] as const;
    ctx.strokeText(name.label, ...place);
    ctx.fillText(name.label, ...place);
  }
  ctx.restore();
}

/** The points of curves and of the ends of bands. */
function curvesOf(chart: uPlot): readonly Polyline[] {
  const [x = [], ...columns] = chart.data;
  return columns.map((column) =>
    [...x].flatMap((value, i): Polyline => {
      const y = column[i];
      return typeof y === 'number' ? [[chart.valToPos(value, 'x'), chart.valToPos(y, 'y')]] : [];
    }),
  );
}

/** The baselines that are within the y axis. */
function seenLevels(chart: uPlot, levels: readonly ChartLevel[]): { readonly label: string; readonly at: number }[] {
  const { height } = sizeOf(chart);
  return levels
    .map(({ label, y }) => ({ label, at: chart.valToPos(y, 'y') }))
    .filter(({ at }) => at >= -1 && at <= height + 1);
}

/** The place of a name together with its halo. */
function boxOf(chart: uPlot, { label, left, bottom }: PlacedName): Box {
  const halo = haloWidth / 2;
  return {
    left: left - halo,
    right: left + nameWidth(chart, label) + halo,
    top: bottom - textHeight - halo,
    bottom: bottom + halo,
  };
}

/** The size of the plot in CSS pixels. */
function sizeOf({ bbox }: uPlot): { readonly width: number; readonly height: number } {
  return { width: bbox.width / devicePixelRatio, height: bbox.height / devicePixelRatio };
}

function nameWidth({ ctx }: uPlot, label: string): number {
  ctx.save();
  ctx.font = markFont(1);
  const { width } = ctx.measureText(label);
  ctx.restore();
  return width;
}

function markFont(ratio: number): string {
  return `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
}

function line(ctx: CanvasRenderingContext2D, from: readonly [number, number], to: readonly [number, number]): void {
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}
