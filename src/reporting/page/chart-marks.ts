import type uPlot from 'uplot';

import { themeColour } from './palette.js';

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
export const haloWidth = 3;

/** A line with its name; places are in CSS pixels from the upper left corner of the plot. */
interface PlacedMark {
  readonly at: number;
  /** Absent if it does not fit. */
  readonly label?: string;
}

interface PlacedLevel extends Required<PlacedMark> {
  /** The right end of the name, and its lower edge. */
  readonly right: number;
  readonly bottom: number;
}

/**
 * The starts of stages that are within the x axis. A name has room up to the next line, or up to the name of a baseline
 * at the upper edge.
 */
export function placeMarks(
  chart: uPlot,
  marks: readonly ChartMark[],
  levels: readonly PlacedLevel[],
): readonly PlacedMark[] {
  const upper = levels.filter(({ bottom }) => bottom - textHeight <= textHeight + 2);
  const width = Math.min(sizeOf(chart).width, ...upper.map(({ label, right }) => right - nameWidth(chart, label)));
  return marks.flatMap(({ x, label }, i): PlacedMark[] => {
    const at = chart.valToPos(x, 'x');
    if (at < 0 || at > sizeOf(chart).width) return [];
    const next = marks[i + 1];
    const end = next === undefined ? width : Math.min(width, chart.valToPos(next.x, 'x'));
    return [{ at, ...(at + 4 + nameWidth(chart, label) <= end && { label }) }];
  });
}

/** Baselines: horizontal lines with their names at the right end; close ones side by side. */
export function placeLevels(chart: uPlot, levels: readonly ChartLevel[]): readonly PlacedLevel[] {
  const { width, height } = sizeOf(chart);
  let below = { top: Infinity, left: 0 };
  return [...levels]
    .sort((a, b) => a.y - b.y)
    .flatMap(({ label, y }): PlacedLevel[] => {
      const at = chart.valToPos(y, 'y');
      if (at < -1 || at > height + 1) return [];
      // The name is above its line, or below it if the line is at the upper end of the axis.
      const bottom = at - textHeight < 0 ? at + textHeight + 1 : at - 1;
      const right = bottom > below.top ? below.left - 8 : width - 4;
      below = { top: bottom - textHeight, left: right - nameWidth(chart, label) };
      return [{ at, label, right, bottom }];
    });
}

/** Draws the lines of baselines and stages below the curves. */
export function drawMarkLines(chart: uPlot, marks: readonly ChartMark[], levels: readonly ChartLevel[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = themeColour('--mark');
  ctx.lineWidth = ratio;
  const placed = placeLevels(chart, levels);
  for (const { at } of placed) {
    const y = Math.round(bbox.top + at * ratio);
    line(ctx, [bbox.left, y], [bbox.left + bbox.width, y]);
  }
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const { at } of placeMarks(chart, marks, placed)) {
    const x = Math.round(bbox.left + at * ratio);
    line(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
  }
  ctx.restore();
}

/** Draws their names above the curves. Each has a halo in the background colour, so that no curve hides a name. */
export function drawMarkNames(chart: uPlot, marks: readonly ChartMark[], levels: readonly ChartLevel[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const write = (label: string, x: number, y: number) => {
    ctx.strokeText(label, bbox.left + x * ratio, bbox.top + y * ratio);
    ctx.fillText(label, bbox.left + x * ratio, bbox.top + y * ratio);
  };
  ctx.save();
  ctx.font = markFont(ratio);
  ctx.fillStyle = themeColour('--quiet');
  ctx.strokeStyle = themeColour('--ground');
  ctx.lineWidth = haloWidth * ratio;
  ctx.lineJoin = 'round';
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'right';
  const placed = placeLevels(chart, levels);
  for (const { label, right, bottom } of placed) write(label, right, bottom);
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  for (const { at, label } of placeMarks(chart, marks, placed)) if (label !== undefined) write(label, at + 4, 2);
  ctx.restore();
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
