import { scaleOfX, scaleOfY } from './chart-axes.js';
import { fitLines, textWidth } from './chart-text.js';
import type { Chart } from './chart.js';
import { drawLines, type Scales } from './draw-lines.js';
import { drawMarks, type PlotRoom } from './draw-marks.js';
import { at, shape, textAt, type SvgShape } from './svg-shape.js';

/** A drawn chart without title and legend. */
export interface Plot extends Scales {
  readonly shapes: readonly SvgShape[];
  /** The place of the curves, within the axes. */
  readonly room: PlotRoom;
}

/** Height of the numbers and the title below a horizontal axis, with this size of text. */
export function heightBelow(text: number): number {
  return 3 * text;
}

/**
 * Draws curves and axes.
 *
 * @param room the numbers of the vertical axis stand within it, those of the horizontal axis below it
 */
export function drawPlot(chart: Chart, room: PlotRoom): Plot {
  const { top, bottom, text } = room;
  const vertical = scaleOfY(chart, { from: bottom, to: top, text });
  // Charts below each other begin at one place, unless their numbers are long.
  const left =
    room.left +
    Math.max(...['100 %', ...vertical.ticks.map(({ label }) => label)].map((label) => textWidth(label, text))) +
    8;
  const horizontal = scaleOfX(chart, { from: left, to: room.right, text });
  const right = horizontal.end;
  const scales = { x: horizontal.at, y: vertical.at };
  const own = { left, right, top, bottom, text };
  const marks = drawMarks(chart, own, scales);
  const [title = ''] = fitLines(chart.x.title, room.right - room.left, text, 1);
  return {
    ...scales,
    room: own,
    shapes: [
      ...vertical.ticks.flatMap((tick) => [
        shape('path', { class: 'grid', d: `M${at(left)} ${at(tick.at)}H${at(right)}` }),
        textAt(left - 8, tick.at, tick.label, { class: 'quiet', 'text-anchor': 'end' }),
      ]),
      shape('path', {
        class: 'axis',
        d: `M${at(left)} ${at(bottom)}H${at(right)}${horizontal.ticks.map((tick) => `M${at(tick.at)} ${at(bottom)}v5`).join('')}`,
      }),
      ...horizontal.ticks.map((tick) =>
        textAt(tick.at, bottom + text, tick.label, { class: 'quiet', 'text-anchor': 'middle' }),
      ),
      textAt((left + right) / 2, bottom + 2.3 * text, title, { class: 'quiet', 'text-anchor': 'middle' }),
      ...marks.lines,
      ...drawLines(chart.lines, scales),
      ...marks.names,
    ],
  };
}
