import { fitLines, textWidth } from './chart-text.js';
import type { Chart } from './chart.js';
import { curveClass, curveDash } from './curve-style.js';
import { drawPlot, heightBelow } from './draw-plot.js';
import { figureStyle, textSizes, type Scheme } from './figure-style.js';
import { at, markup, shape, textAt, type SvgShape } from './svg-shape.js';

/** A chart that stands alone. */
export interface Figure extends Chart {
  /** One sentence for readers who cannot see the figure. */
  readonly title: string;
  /** One or two sentences below it. */
  readonly caption: string;
  /** Whether a single line has a legend too. */
  readonly isNamed?: boolean;
}

// Units of the figure. They leave room for the larger text on a telephone.
const width = 720;
const plotHeight = 330;
const edge = 16;
const row = 28;
const captionRow = 22;
const swatch = 30;
const text = textSizes.narrow.text;

/** The first line marks our figures. An XML comment must not contain a double hyphen. */
export const figureMark = '<!-- Written by agentgym report: change the runs, not this figure. -->';

/**
 * One self-contained SVG, readable on paper and on a telephone. Names are escaped, so they are always text.
 *
 * @param scheme absent: light or dark, as the reader's device is
 */
export function drawFigure(figure: Figure, scheme?: Scheme): string {
  const legend = drawLegend(figure);
  const top = edge + legend.height + row + 12;
  const bottom = top + plotHeight;
  const plot = drawPlot(figure, { left: edge, right: width - 4, top, bottom, text });
  const caption = figure.caption === '' ? [] : fitLines(figure.caption, width - 2 * edge, textSizes.narrow.caption, 6);
  const captionTop = bottom + heightBelow(text) + 8;
  const height = at(captionTop + caption.length * captionRow + edge);
  // Both ends of a very long name of a metric stay.
  const [title = ''] = fitLines(figure.y.title, width - 2 * edge, text, 1);
  const svg = shape(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'agentgym-figure',
      ...{ width, height, viewBox: `0 0 ${width} ${height}`, style: 'max-width:100%;height:auto' },
      ...{ role: 'img', 'aria-label': `${figure.title} ${figure.caption}` },
    },
    shape('title', {}, figure.title),
    shape('style', {}, figureStyle(scheme)),
    shape('rect', { class: 'ground', width: '100%', height: '100%' }),
    ...legend.shapes,
    textAt(edge, top - 20, title),
    ...plot.shapes,
    ...caption.map((line, i) => textAt(edge, captionTop + (i + 0.5) * captionRow, line, { class: 'caption quiet' })),
  );
  return `${figureMark}\n${markup(svg)}\n`;
}

/** Names in columns as wide as the widest name. */
function drawLegend({ lines, isNamed = false }: Figure): { readonly shapes: SvgShape[]; readonly height: number } {
  const named = lines.filter(({ isFaint }) => isFaint !== true);
  if (named.length < 2 && !isNamed) return { shapes: [], height: 0 };
  const room = width - 2 * edge - swatch - 8;
  const entries = named.map((line) => ({ line, rows: fitLines(line.label, room, text, 2) }));
  const widest = Math.max(...entries.flatMap(({ rows }) => rows.map((name) => textWidth(name, text))));
  const columns = Math.max(1, Math.min(named.length, Math.floor((width - 2 * edge) / (widest + swatch + 28))));
  const shapes: SvgShape[] = [];
  let y = edge;
  for (let first = 0; first < entries.length; first += columns) {
    const line = entries.slice(first, first + columns);
    for (const [i, { line: own, rows }] of line.entries()) {
      const x = edge + i * (widest + swatch + 28);
      const dash = curveDash(own.style);
      shapes.push(
        shape(
          'g',
          { class: curveClass(own.style) },
          shape('title', {}, own.label),
          shape('path', { class: 'line', d: `M${at(x)} ${y + 15}h${swatch - 4}`, 'stroke-dasharray': dash }),
          ...rows.map((name, k) => textAt(x + swatch + 4, y + 15 + k * row, name)),
        ),
      );
    }
    y += row * Math.max(...line.map(({ rows }) => rows.length));
  }
  return { shapes, height: y - edge + 8 };
}
