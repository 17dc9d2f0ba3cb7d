import type uPlot from 'uplot';

import { themeColour } from './palette.js';

/** A level line across the chart, named at its end: what does not change by training. */
export interface ChartLevel {
  readonly label: string;
  readonly y: number;
}

/** A place along x: where a stage begins. */
export interface ChartMark {
  readonly x: number;
  readonly label: string;
}

/** Pixels of the style sheet that a name needs above and below. */
const textHeight = 13;

/** Where stages begin: a line with its name at the top. */
export function drawMarks(chart: uPlot, marks: readonly ChartMark[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const right = bbox.left + bbox.width;
  ctx.save();
  begin(ctx, ratio);
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.textBaseline = 'top';
  // Axes are drawn before, and leave theirs.
  ctx.textAlign = 'left';
  for (const [i, { x, label }] of marks.entries()) {
    const left = Math.round(chart.valToPos(x, 'x', true));
    if (left < bbox.left || left > right) continue;
    line(ctx, [left, bbox.top], [left, bbox.top + bbox.height]);
    // A name has the room up to the next line; where that is too little it is left out.
    const next = marks[i + 1];
    const end = next === undefined ? right : Math.min(right, chart.valToPos(next.x, 'x', true));
    const at = left + 4 * ratio;
    if (at + ctx.measureText(label).width <= end) ctx.fillText(label, at, bbox.top + 2 * ratio);
  }
  ctx.restore();
}

/** Baselines: level lines with their names at the right end, those that lie close beside each other. */
export function drawLevels(chart: uPlot, levels: readonly ChartLevel[]): void {
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  ctx.save();
  begin(ctx, ratio);
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'right';
  let below = { top: Infinity, left: 0 };
  for (const { label, y } of [...levels].sort((a, b) => a.y - b.y)) {
    const at = Math.round(chart.valToPos(y, 'y', true));
    if (at < bbox.top - 1 || at > bbox.top + bbox.height + 1) continue;
    line(ctx, [bbox.left, at], [bbox.left + bbox.width, at]);
    // Above its line; below it where that is the upper end of the axis.
    const height = textHeight * ratio;
    const bottom = at - height < bbox.top ? at + height + ratio : at - ratio;
    const end = bottom > below.top ? below.left - 8 * ratio : bbox.left + bbox.width - 4 * ratio;
    ctx.fillText(label, end, bottom);
    below = { top: bottom - height, left: end - ctx.measureText(label).width };
  }
  ctx.restore();
}

function begin(ctx: CanvasRenderingContext2D, ratio: number): void {
  ctx.strokeStyle = themeColour('--mark');
  ctx.fillStyle = themeColour('--quiet');
  ctx.lineWidth = ratio;
  ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
}

function line(ctx: CanvasRenderingContext2D, from: readonly [number, number], to: readonly [number, number]): void {
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
}
