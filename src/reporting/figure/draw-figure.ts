import { at, curveClass, dashes, drawLines, type Scales } from './figure-lines.js';
import { figureStyle, textSizes } from './figure-style.js';
import { fitLines, textWidth, xmlText } from './figure-text.js';
import { placeTicks, type Ticks } from './figure-ticks.js';
import type { Figure } from './figure.js';

// Units of the figure. They leave room for the larger text on a telephone.
const width = 720;
const plotHeight = 330;
const edge = 16;
const row = 28;
const captionRow = 22;
const captionGap = 8;
const swatch = 30;

/** The first line marks our figures. An XML comment must not contain a double hyphen. */
export const figureMark = '<!-- Written by agentgym report: change the runs, not this figure. -->';

/**
 * One self-contained SVG, readable in light and dark mode, on paper and on a telephone. Names are escaped, so they are
 * always text.
 */
export function drawFigure(figure: Figure): string {
  const legend = drawLegend(figure);
  const [xLow, xHigh] = domainOfX(figure);
  const [yLow, yHigh] = domainOfY(figure);
  const top = edge + legend.height + row + 12;
  const bottom = top + plotHeight;
  const yTicks = placeTicks({ low: yLow, high: yHigh, crowds: crowdsY });
  const widest = Math.max(...yTicks.labels.map(textWidth));
  const left = edge + widest + 8;
  const xTicks = ticksOfX(figure, [xLow, xHigh], left);
  const lastLabel = xTicks.ticks.labels.at(-1) ?? '';
  const right = width - Math.max(edge, textWidth(lastLabel) / 2 + 4);
  const scales: Scales = {
    x: (value) => left + ((value - xLow) / (xTicks.high - xLow)) * (right - left),
    y: (value) => bottom - ((value - yLow) / (yHigh - yLow)) * plotHeight,
  };
  const caption = fitLines(figure.caption, width - 2 * edge, textSizes.narrow.caption, 6);
  const xTitleAt = bottom + 2 * row;
  const height = xTitleAt + captionGap + caption.length * captionRow + edge;
  return `${[
    figureMark,
    `<svg xmlns="http://www.w3.org/2000/svg" class="agentgym-figure" width="${width}" height="${at(height)}" viewBox="0 0 ${width} ${at(height)}" ` +
      `style="max-width:100%;height:auto" role="img" aria-label="${xmlText(`${figure.title} ${figure.caption}`)}">`,
    `<title>${xmlText(figure.title)}</title>`,
    `<style>${figureStyle}</style>`,
    `<rect class="ground" width="100%" height="100%"/>`,
    ...legend.marks,
    `<text x="${edge}" y="${at(top - 14)}">${xmlText(fitTitle(figure.yTitle))}</text>`,
    ...drawGrid(yTicks, scales.y, left, right),
    ...drawAxis(xTicks.ticks, scales.x, left, right, bottom),
    `<text x="${at((left + right) / 2)}" y="${at(xTitleAt)}" text-anchor="middle">${xmlText(fitTitle(figure.xTitle))}</text>`,
    ...drawLines(figure.lines, scales),
    ...caption.map(
      (line, i) =>
        `<text class="caption quiet" x="${edge}" y="${at(xTitleAt + captionGap + (i + 1) * captionRow)}">${xmlText(line)}</text>`,
    ),
    '</svg>',
  ].join('\n')}\n`;
}

/** Keeps the beginning and the end of a very long metric name. */
function fitTitle(title: string): string {
  return fitLines(title, width - 2 * edge, textSizes.narrow.text, 1).join('');
}

/** Names in columns as wide as the widest name. A single line has no legend. */
function drawLegend({ lines }: Figure): { readonly marks: string[]; readonly height: number } {
  if (lines.length < 2) return { marks: [], height: 0 };
  const room = width - 2 * edge - swatch - 8;
  const entries = lines.map((line) => ({ line, rows: fitLines(line.label, room, textSizes.narrow.text, 2) }));
  const widest = Math.max(...entries.flatMap(({ rows }) => rows.map(textWidth)));
  const columns = Math.max(1, Math.min(lines.length, Math.floor((width - 2 * edge) / (widest + swatch + 28))));
  const marks: string[] = [];
  let y = edge;
  for (let first = 0; first < entries.length; first += columns) {
    const line = entries.slice(first, first + columns);
    for (const [i, entry] of line.entries()) {
      const x = edge + i * (widest + swatch + 28);
      const { style, label } = entry.line;
      marks.push(
        `<g class="${curveClass(style)}"><title>${xmlText(label)}</title><path class="line" d="M${at(x)} ${y + 15}h${swatch - 4}"${dashes(style)}/>`,
        ...entry.rows.map(
          (text, k) => `<text x="${at(x + swatch + 4)}" y="${y + 20 + k * row}">${xmlText(text)}</text>`,
        ),
        '</g>',
      );
    }
    y += row * Math.max(...line.map(({ rows }) => rows.length));
  }
  return { marks, height: y - edge + 8 };
}

/** The axis starts at 0, unless all values are far from it. */
function domainOfX({ lines }: Figure): [number, number] {
  const places = lines.flatMap(({ curve }) => curve.x);
  const [least, most] = [Math.min(...places), Math.max(...places)];
  const low = least > 0.25 * most && least < most ? least : 0;
  return [low, most > low ? most : low + 1];
}

/** If a tick is just beyond the last point, the axis extends to it. */
function ticksOfX({ wholeX }: Figure, [low, last]: [number, number], left: number) {
  const crowds = (labels: readonly string[], apart: number) =>
    apart * (width - left - edge) < Math.max(...labels.map(textWidth)) + 28;
  const high = [last, last + (last - low) / 50];
  const [exact, further] = high.map((end) => placeTicks({ low, high: end, crowds, least: wholeX ? 1 : 0 }));
  const beyond = further?.values.at(-1) ?? last;
  return further !== undefined && beyond > last
    ? { ticks: further, high: beyond }
    : { ticks: exact as Ticks, high: last };
}

/** The range of all lines and bands, extended to the next ticks. */
function domainOfY({ lines, bounds, leastRange }: Figure): [number, number] {
  const values = lines
    .flatMap(({ curve, band }) => [...curve.y, ...(band?.low ?? []), ...(band?.high ?? [])])
    .filter((value) => value !== null);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const lacking = Math.max(0, leastRange - (most - least), least === most ? Math.abs(most) / 5 || 1 : 0) / 2;
  const [from, to] = [least - lacking, most + lacking];
  let range = to - from;
  for (;;) {
    const step = tickDistance(range);
    const low = Math.max(bounds[0], Math.floor(from / step + 1e-9) * step);
    const high = Math.min(bounds[1], Math.ceil(to / step - 1e-9) * step);
    // A longer axis may have fewer ticks, and it must end at one of these.
    if (tickDistance(high - low) === step) return [low, high];
    range = high - low;
  }
}

/** Whether lines of text are too close. */
const crowdsY = (_: readonly string[], apart: number) => apart * plotHeight < 2 * row;

function tickDistance(range: number): number {
  const [first = 0, second = range] = placeTicks({ low: 0, high: range, crowds: crowdsY }).values;
  return second - first;
}

function drawGrid({ values, labels }: Ticks, y: Scales['y'], left: number, right: number): string[] {
  return values.flatMap((value, i) => [
    `<path class="grid" d="M${at(left)} ${at(y(value))}H${at(right)}"/>`,
    `<text class="quiet" x="${at(left - 8)}" y="${at(y(value))}" dy=".35em" text-anchor="end">${labels[i] ?? ''}</text>`,
  ]);
}

function drawAxis({ values, labels }: Ticks, x: Scales['x'], left: number, right: number, y: number): string[] {
  return [
    `<path class="grid axis" d="M${at(left)} ${at(y)}H${at(right)}${values.map((value) => `M${at(x(value))} ${at(y)}v5`).join('')}"/>`,
    ...values.map(
      (value, i) =>
        `<text class="quiet" x="${at(x(value))}" y="${at(y + row - 2)}" text-anchor="middle">${labels[i] ?? ''}</text>`,
    ),
  ];
}
