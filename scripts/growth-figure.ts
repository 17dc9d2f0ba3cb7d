// The figure of `npm run bench -- growth`: tokens a second against what grows, both axes logarithmic. Plain SVG that is
// readable in light and dark.

/** Tokens a second of both sides at one size. */
export interface GrowthPoint {
  readonly axis: string;
  readonly kind: 'train' | 'decode';
  readonly x: number;
  readonly ours: number;
  readonly theirs: number;
}

const titles: { readonly [axis: string]: string } = {
  batch: 'episodes at a time',
  context: 'tokens of context',
  parameters: 'parameters',
};
const rows = { train: 'trained tokens a second', decode: 'sampled tokens a second' } as const;
const panel = { width: 300, height: 230, left: 58, right: 12, top: 34, bottom: 46 };
const sides = ['ours', 'theirs'] as const;

export function drawGrowth(points: readonly GrowthPoint[]): string {
  const axes = Object.keys(titles).filter((axis) => points.some((point) => point.axis === axis));
  const kinds = Object.keys(rows) as (keyof typeof rows)[];
  const [width, height] = [panel.width * axes.length, 26 + panel.height * kinds.length];
  const panels = kinds.flatMap((kind, row) =>
    axes.map((axis, column) => {
      const own = points.filter((point) => point.axis === axis && point.kind === kind);
      return `<g transform="translate(${panel.width * column} ${26 + panel.height * row})">${drawPanel(own, axis, kind)}</g>`;
    }),
  );
  const legend = sides.map(
    (side, index) =>
      `<path d="M${12 + 110 * index} 14h22" class="${side}"/><text x="${40 + 110 * index}" y="18">${side === 'ours' ? 'agentgym' : 'PyTorch'}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Tokens a second of agentgym and PyTorch against ${axes.join(', ')}">
<style>text{font:12px system-ui,sans-serif;fill:#555}path{fill:none;stroke-width:2}.grid{stroke:#8884;stroke-width:1}.ours{stroke:#2a6fdb}.theirs{stroke:#d9772b;stroke-dasharray:5 3}circle.ours{fill:#2a6fdb}circle.theirs{fill:#d9772b}@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>
${[...legend, ...panels].join('\n')}
</svg>
`;
}

function drawPanel(points: readonly GrowthPoint[], axis: string, kind: keyof typeof rows): string {
  const x = scale(
    points.map((point) => point.x),
    panel.left,
    panel.width - panel.right,
  );
  const y = scale(
    points.flatMap((point) => [point.ours, point.theirs]),
    panel.height - panel.bottom,
    panel.top,
  );
  const marks = [
    ...x.ticks.map(
      (tick) =>
        `<path d="M${x.at(tick)} ${panel.top}V${panel.height - panel.bottom}" class="grid"/><text x="${x.at(tick)}" y="${panel.height - panel.bottom + 16}" text-anchor="middle">${short(tick)}</text>`,
    ),
    ...y.ticks.map(
      (tick) =>
        `<path d="M${panel.left} ${y.at(tick)}H${panel.width - panel.right}" class="grid"/><text x="${panel.left - 6}" y="${y.at(tick) + 4}" text-anchor="end">${short(tick)}</text>`,
    ),
    ...sides.map((side) => {
      const places = points.map((point) => `${x.at(point.x)} ${y.at(point[side])}`);
      const dots = points.map(
        (point) => `<circle cx="${x.at(point.x)}" cy="${y.at(point[side])}" r="3" class="${side}"/>`,
      );
      return `<path d="M${places.join('L')}" class="${side}"/>${dots.join('')}`;
    }),
  ];
  return [
    ...marks,
    `<text x="${panel.left}" y="${panel.top - 12}">${rows[kind]}</text>`,
    `<text x="${(panel.left + panel.width - panel.right) / 2}" y="${panel.height - 12}" text-anchor="middle">${titles[axis]}</text>`,
  ].join('');
}

/** A logarithmic scale from whole powers of ten, or of two where there are few. */
function scale(values: readonly number[], from: number, to: number) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const base = most / least < 100 ? 2 : 10;
  const power = (value: number) => Math.log(value) / Math.log(base);
  const [low, high] = [Math.floor(power(least) + 1e-9), Math.ceil(power(most) - 1e-9)];
  const at = (value: number) =>
    Math.round(10 * (from + ((power(value) - low) / Math.max(1, high - low)) * (to - from))) / 10;
  const every = Math.ceil((high - low) / 6);
  const ticks = Array.from(
    { length: Math.floor((high - low) / every) + 1 },
    (_, index) => base ** (low + every * index),
  );
  return { at, ticks };
}

function short(value: number): string {
  if (value > 1 && value < 10_000) return value.toLocaleString('en');
  for (const [size, unit] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (value >= size) return `${Number((value / size).toPrecision(3))}${unit}`;
  }
  return String(value);
}
