import { themeColour } from './palette.js';

/** What stands around the plot of a chart. */
export interface ChartText {
  readonly title: string;
  readonly legend: readonly { readonly text: string; readonly colour: string }[];
  readonly note: string;
}

/** A chart as it is seen, with its title and its legend, as PNG: on the ground of the page, as sharp as the screen. */
export async function chartImage(plot: HTMLCanvasElement, { title, legend, note }: ChartText): Promise<Blob> {
  const ratio = devicePixelRatio;
  const [edge, row] = [12 * ratio, 20 * ratio];
  const canvas = document.createElement('canvas');
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('This browser cannot draw a canvas.');
  const family = getComputedStyle(document.body).fontFamily;
  const fonts = { title: `600 ${15 * ratio}px ${family}`, text: `${13 * ratio}px ${family}` };
  canvas.width = plot.width + 2 * edge;
  ctx.font = fonts.text;
  const keys = placeKeys(
    legend,
    canvas.width - 2 * edge,
    (text) => ctx.measureText(text).width + 22 * ratio,
    16 * ratio,
  );
  const rows = 1 + (keys.at(-1)?.row ?? -1) + 1 + (note === '' ? 0 : 1);
  // Setting a size clears all that was set before.
  canvas.height = edge + rows * row + plot.height + edge;
  ctx.fillStyle = themeColour('--ground');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.textBaseline = 'middle';
  const write = (text: string, font: string, colour: string, [x, y]: readonly [number, number]) => {
    ctx.font = font;
    ctx.fillStyle = themeColour(colour);
    ctx.fillText(text, x, y);
  };
  write(title, fonts.title, '--ink', [edge, edge + row / 2]);
  for (const { text, colour, x, row: line } of keys) {
    const y = edge + (line + 1.5) * row;
    ctx.fillStyle = colour;
    ctx.fillRect(edge + x, y - 1.5 * ratio, 16 * ratio, 3 * ratio);
    write(text, fonts.text, '--ink', [edge + x + 22 * ratio, y]);
  }
  if (note !== '') write(note, fonts.text, '--quiet', [edge, edge + (rows - 0.5) * row]);
  ctx.drawImage(plot, edge, edge + rows * row);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The chart is too large.')) : resolve(blob))),
  );
}

/** Keys one after the other, in as many rows as they need. */
function placeKeys(legend: ChartText['legend'], width: number, widthOf: (text: string) => number, gap: number) {
  let [x, row] = [0, 0];
  return legend.map((key) => {
    const own = widthOf(key.text);
    if (x > 0 && x + own > width) [x, row] = [0, row + 1];
    const placed = { ...key, x, row };
    x += own + gap;
    return placed;
  });
}
