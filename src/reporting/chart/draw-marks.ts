import type { Chart } from './chart.js';
import { textWidth } from './chart-text.js';
import { drawnPlaces, type Scales } from './draw-lines.js';
import { freestPlace, type Box, type Polyline } from './freest-place.js';
import { at, shape, textAt, type SvgShape } from './svg-shape.js';

/** The place of the curves. */
export interface PlotRoom extends Box {
  /** Size of its text. */
  readonly text: number;
}

/** Width of the stroke around a name, in the colour of the ground, so that no line hides the name. */
const halo = 5;
/** Room between a name and the end of the plot, or the line of its stage. */
const beside = 4;
/** A name that is this close to another baseline could belong to it. */
const closeBy = 8;

/** Lines of stages and baselines, below the curves, and their names above the curves. */
export function drawMarks(chart: Chart, room: PlotRoom, scales: Scales): { lines: SvgShape[]; names: SvgShape[] } {
  const { left, right, top, bottom, text } = room;
  const marks = chart.marks
    .map(({ x, label }) => ({ label, x: scales.x(x) }))
    .filter(({ x }) => x >= left && x <= right);
  const levels = chart.levels
    .map(({ y, label }) => ({ label, y: scales.y(y) }))
    .filter(({ y }) => y >= top - 1 && y <= bottom + 1);
  const boxAt = (label: string, x: number, end: number): NamedBox => ({
    ...{ label, left: x - halo / 2, right: x + textWidth(label, text) + halo / 2 },
    ...{ top: end - text - halo / 2, bottom: end + halo / 2 },
  });
  // The name of a stage has room up to the next line.
  const begins = marks.flatMap(({ label, x }, i) => {
    const box = boxAt(label, x + beside, top + text + 2);
    return box.right <= (marks[i + 1]?.x ?? right) + halo / 2 ? [box] : [];
  });
  const curves: Polyline[] = [
    ...(levels.length === 0 ? [] : chart.lines.flatMap((line) => drawnPlaces(line, scales))),
    ...marks.map(({ x }): Polyline => [[x, top], [x, bottom]]), // prettier-ignore
  ];
  const names = levels.reduce<readonly NamedBox[]>((taken, level) => {
    const others = levels.filter((other) => other !== level);
    const last = right - beside - textWidth(level.label, text);
    const places = Array.from({ length: 11 }, (_, k) => last - ((last - left - beside) * k) / 10);
    // At the right end, at the left end, or between them; above its line if there is room, else below it.
    const lefts = [...places.slice(0, 1), ...places.slice(-1), ...places.slice(1, -1)];
    const boxes = [level.y - halo / 2 - 1, level.y + text + halo / 2 + 1]
      .filter((end) => end >= top + text && end <= bottom)
      .flatMap((end) => lefts.map((x) => boxAt(level.label, x, end)))
      // A name on another baseline would be read as the name of that one.
      .filter((box) => !others.some(({ y }) => box.top < y && y < box.bottom));
    const near = others.flatMap(({ y }) => [-closeBy, closeBy].map((by): Polyline => [[left, y + by], [right, y + by]])); // prettier-ignore
    const place = freestPlace(boxes, [...curves, ...near], taken);
    return place === undefined ? taken : [...taken, place];
  }, begins);
  return {
    lines: [
      ...levels.map(({ y }) => shape('path', { class: 'level', d: `M${at(left)} ${at(y)}H${at(right)}` })),
      ...marks.map(({ x }) =>
        shape('path', { class: 'level', 'stroke-dasharray': '3 3', d: `M${at(x)} ${at(top)}V${at(bottom)}` }),
      ),
    ],
    names: names.map((box) =>
      textAt(box.left + halo / 2, (box.top + box.bottom) / 2, box.label, { class: 'name quiet' }),
    ),
  };
}

interface NamedBox extends Box {
  readonly label: string;
}
