import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import type { ChartLine } from './chart.js';
import { drawFigure, figureMark, type Figure } from './draw-figure.js';
import { figureStyle } from './figure-style.js';

const line: ChartLine = { label: 'grpo', style: 0, curve: { x: [0, 5, 10], y: [20, 50, 80] }, isMarked: false };
const figure: Figure = {
  title: 'Success by steps.',
  x: { title: 'Steps', size: 1, isWhole: true },
  y: { title: 'Success (%)', size: 1, bounds: [0, 100], leastRange: 10 },
  lines: [line],
  levels: [],
  marks: [],
  caption: 'One run.',
};

/** Reads the axes of an SVG and returns functions from places to values. Two numbers of an axis fix its scale. */
function readAxes(svg: string) {
  const ticks = [
    ...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)" dy=".35em" class="quiet" text-anchor="(\w+)">([\d,]+)</g),
  ].map(([, x, y, rest, text]) => ({
    x: Number(x),
    y: Number(y),
    isY: rest === 'end',
    value: Number(text!.replace(/,/g, '')),
  }));
  const inverse = (list: readonly { place: number; value: number }[]) => {
    const [a, b] = [list[0]!, list.at(-1)!];
    return (place: number) => a.value + ((place - a.place) / (b.place - a.place)) * (b.value - a.value);
  };
  const x = inverse(ticks.filter(({ isY }) => !isY).map((tick) => ({ place: tick.x, value: tick.value })));
  const y = inverse(ticks.filter(({ isY }) => isY).map((tick) => ({ place: tick.y, value: tick.value })));
  return { x, y, ticks };
}

/** The points of all paths of a class, in values of the axes. */
function valuesOf(svg: string, kind: string): number[][][] {
  const { x, y } = readAxes(svg);
  const body = svg.slice(svg.indexOf('class="grid"'));
  return [...body.matchAll(new RegExp(`class="${kind}" d="([^"]+)"`, 'g'))].map(([, path]) =>
    [...path!.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, px, py]) => [round(x(Number(px))), round(y(Number(py)))]),
  );
}

const round = (value: number) => Number(value.toFixed(1));

describe('a figure', () => {
  // Goes red when an axis is reversed or cut off, or when its numbers do not match its scale.
  it('has its points where its axes say', () => {
    const svg = drawFigure(figure);
    expect(valuesOf(svg, 'line')).toEqual([
      [
        [0, 20],
        [5, 50],
        [10, 80],
      ],
    ]);
    const { ticks } = readAxes(svg);
    expect(ticks.filter(({ isY }) => isY).map(({ value }) => value)).toEqual([20, 40, 60, 80]);
    expect(ticks.filter(({ isY }) => !isY).map(({ value }) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // The plot is 330 units high.
    const heights = ticks.filter(({ isY }) => isY).map(({ y }) => y);
    expect(heights[0]! - heights.at(-1)!).toBe(330);
  });

  it('has a band between its ends, and thin lines where seeds are missing', () => {
    const banded = {
      ...line,
      curve: { x: [0, 4, 8, 10], y: [20, 40, 60, 70] },
      band: { low: [10, 30, 50, 70], high: [30, 50, 70, 70] },
      whole: [true, true, true, false],
    };
    const svg = drawFigure({ ...figure, lines: [banded] });
    expect(valuesOf(svg, 'line')).toEqual([
      [
        [0, 20],
        [4, 40],
        [8, 60],
      ],
    ]);
    expect(valuesOf(svg, 'thin')).toEqual([
      [
        [8, 60],
        [10, 70],
      ],
    ]);
    expect(valuesOf(svg, 'band')[0]).toEqual([
      [0, 30],
      [4, 50],
      [8, 70],
      [8, 50],
      [4, 30],
      [0, 10],
    ]);
  });

  it('draws a single evaluation as a point, and a flat curve as flat', () => {
    const point = drawFigure({ ...figure, lines: [{ ...line, curve: { x: [7], y: [0] } }] });
    expect(point.match(/class="point"/g)).toHaveLength(1);
    const flat = drawFigure({ ...figure, lines: [{ ...line, curve: { x: [0, 10], y: [100, 100] } }] });
    expect(valuesOf(flat, 'line')).toEqual([
      [
        [0, 100],
        [10, 100],
      ],
    ]);
    expect(flat).not.toContain('NaN');
  });

  it('goes on to a tick that lies just beyond its last point', () => {
    const spent = { ...line, curve: { x: [0, 149_000, 299_964], y: [20, 50, 80] } };
    const { ticks } = readAxes(drawFigure({ ...figure, lines: [spent] }));
    expect(ticks.filter(({ isY }) => !isY).at(-1)?.value).toBe(300_000);
  });

  it('takes names for text, whatever is in them', () => {
    const names = [
      '<script>alert(1)</script>',
      `"><image href='x' onload="y">`,
      'a\u0000\u001b[31m\ud800\uffff&amp;',
      'x'.repeat(5000),
    ];
    const lines = names.map((label, style) => ({ ...line, label, style }));
    const svg = drawFigure({
      ...figure,
      lines,
      title: names[0]!,
      x: { ...figure.x, title: names[1]! },
      caption: names[2]!,
    });
    expect(new Set([...svg.matchAll(/<([a-z!]+)/gi)].map(([, tag]) => tag))).toEqual(
      new Set(['!', 'svg', 'title', 'style', 'rect', 'g', 'path', 'text']),
    );
    expect(svg).not.toMatch(/<[^>]* (onload|href)=/);
    // oxlint-disable-next-line no-control-regex
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|\p{Cs}/u);
    expect(svg.replace(/&#\d+;/g, '')).not.toContain('&');
    // Long names are cut, and no row of a legend is wider than the figure.
    const rows = [...svg.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)</g)].map(
      ([, x, text]) => Number(x) + text!.replace(/&#\d+;/g, '.').length * 7,
    );
    expect(Math.max(...rows)).toBeLessThan(720);
  });

  it('names its lines in a legend where there are several, without two in one place', () => {
    const lines = Array.from({ length: 9 }, (_, style) => ({ ...line, label: `cell ${style}`, style }));
    const svg = drawFigure({ ...figure, lines });
    const places = lines.map(({ label }) =>
      new RegExp(`<text x="([\\d.]+)" y="(\\d+)" dy=".35em">${label}<`).exec(svg)!.slice(1).join(),
    );
    expect(new Set(places).size).toBe(9);
    // The eighth line has the first colour again, dashed.
    expect(
      svg.match(/<g class="curve-1">\s*<title>cell 7<\/title>\s*<path class="line"[^>]* stroke-dasharray="6 4"/),
    ).not.toBeNull();
    expect(drawFigure(figure)).not.toContain('>grpo</text>');
  });

  it('says what it shows, and begins with its mark', () => {
    const svg = drawFigure(figure);
    expect(svg.startsWith(`${figureMark}\n<svg `)).toBe(true);
    expect(svg).toContain('role="img" aria-label="Success by steps. One run."');
    expect(figureMark.slice(4, -3)).not.toContain('--');
  });

  // Goes red when a colour is changed in one place only.
  it('has the colours of the page in both schemes', () => {
    const theme = readFileSync(new URL('../page/theme.css', import.meta.url), 'utf8');
    const of = (text: string) => text.match(/--curve-\d: (#\w+)/g)!.map((rule) => rule.slice(-7));
    const colours = of(theme);
    expect(colours).toHaveLength(14);
    const style = figureStyle();
    const drawn = [...style.matchAll(/\.curve-\d\{color:(#\w+)\}/g)].map(([, colour]) => colour);
    expect(drawn).toEqual(colours);
    expect(style.indexOf('prefers-color-scheme:dark')).toBeLessThan(style.indexOf(colours[7]!));
    expect(figureStyle('dark')).not.toContain(colours[0]!);
  });

  // Goes red when a long curve loses a peak, or is drawn with more points than anybody can see.
  it('keeps the lowest and the highest value of each place of a long curve', () => {
    const x = Array.from({ length: 20_001 }, (_, i) => i);
    const y = x.map((i) => (i === 12_345 ? 97 : i === 4321 ? 3 : 50 + (i % 7)));
    const [drawn = []] = valuesOf(drawFigure({ ...figure, lines: [{ ...line, curve: { x, y } }] }), 'line');
    const values = drawn.map(([, value]) => value!);
    expect([Math.min(...values), Math.max(...values)]).toEqual([3, 97]);
    expect([drawn[0]![0], drawn.at(-1)![0]]).toEqual([0, 20_000]);
    expect(drawn.length).toBeLessThan(4 * 720);
    expect(drawn.map(([place]) => place)).toEqual(drawn.map(([place]) => place!).sort((a, b) => a - b));
  });

  it('has equal distances of equal factors on a logarithmic axis', () => {
    const powers = { ...line, curve: { x: [0, 5, 10], y: [0.01, 1, 100] } };
    const svg = drawFigure({ ...figure, y: { title: 'Loss', size: 1, isLog: true }, lines: [powers] });
    const heights = [.../class="line" d="M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)"/.exec(svg)!].slice(1);
    const [low, middle, high] = heights.map(Number) as [number, number, number];
    expect(low - middle).toBeCloseTo(middle - high, 1);
    expect(low - middle).toBeGreaterThan(100);
  });

  it('draws no line over a break, and stages and levels with their names', () => {
    const svg = drawFigure({
      ...figure,
      lines: [{ ...line, breaks: [5], curve: { x: [0, 2, 5, 10], y: [20, 30, 80, 90] } }],
      levels: [{ label: 'random', y: 40 }],
      marks: [{ x: 5, label: 'rl' }],
    });
    expect(valuesOf(svg, 'line')).toEqual([
      [[0, 20], [2, 30]],
      [[5, 80], [10, 90]],
    ]); // prettier-ignore
    expect(svg.match(/class="name quiet">(rl|random)</g)).toHaveLength(2);
    const { x, y } = readAxes(svg);
    const [, height] = /class="level" d="M[\d.]+ ([\d.]+)H/.exec(svg)!;
    const [, place] = /class="level" stroke-dasharray="3 3" d="M([\d.]+) /.exec(svg)!;
    expect([round(y(Number(height))), round(x(Number(place)))]).toEqual([40, 5]);
  });
});
