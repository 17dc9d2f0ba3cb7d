/** The text around the plot of a chart. */
export interface ChartText {
  readonly title: string;
  readonly legend: readonly { readonly text: string; readonly colour: string; readonly dash: readonly number[] }[];
  readonly note: string;
}

/** A legend entry with its place: distance from the left edge, and row below the title. */
type PlacedKey = ChartText['legend'][number] & { readonly x: number; readonly row: number };

/** The layout of a saved chart, in CSS pixels. */
export interface ChartFrame {
  readonly keys: readonly PlacedKey[];
  /** Distance from the top to the plot. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The margin of a saved chart, the height of a text line, the width of a swatch, and the room before a legend name. */
export const frame = { edge: 12, row: 20, swatch: 24, beforeName: 30 } as const;

/** Fonts of a saved chart, the same as on the page. */
export function frameFonts(): { readonly title: string; readonly text: string; readonly family: string } {
  const family = getComputedStyle(document.body).fontFamily;
  return { title: `600 15px ${family}`, text: `13px ${family}`, family };
}

/** Title, legend and note above a plot of this size. */
export function layOutFrame(plot: { readonly width: number; readonly height: number }, text: ChartText): ChartFrame {
  const measure = document.createElement('canvas').getContext('2d');
  if (measure === null) throw new Error('This browser cannot draw a canvas.');
  measure.font = frameFonts().text;
  const keys = placeKeys(text.legend, plot.width, (name) => measure.measureText(name).width + frame.beforeName);
  const rows = 1 + (keys.at(-1)?.row ?? -1) + 1 + (text.note === '' ? 0 : 1);
  const top = frame.edge + rows * frame.row;
  return { keys, top, width: plot.width + 2 * frame.edge, height: top + plot.height + frame.edge };
}

/** Places legend entries one after the other, in as many rows as needed. */
function placeKeys(legend: ChartText['legend'], width: number, widthOf: (text: string) => number): PlacedKey[] {
  let [x, row] = [0, 0];
  return legend.map((key) => {
    const own = widthOf(key.text);
    if (x > 0 && x + own > width) [x, row] = [0, row + 1];
    const placed = { ...key, x, row };
    x += own + 16;
    return placed;
  });
}
