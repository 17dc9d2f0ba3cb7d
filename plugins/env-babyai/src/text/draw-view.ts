// A view as a drawing and as numbers.
import { directionNames } from '../world/direction.js';
import { colours, doorStates, emptyCode, kindCodes, unseenCode } from '../world/thing.js';
import { viewSize, type View, type Viewer } from '../world/view.js';

const signs: ReadonlyMap<number, string> = new Map([
  [kindCodes.key, 'k'],
  [kindCodes.ball, 'o'],
  [kindCodes.box, 'b'],
]);
/** Doors by state: open, closed, locked. */
const doorSigns = ['_', 'd', 'l'] as const;
/** Green and grey begin alike, so grey is `e`. */
const colourSigns = ['r', 'g', 'b', 'p', 'y', 'e'] as const;

export const legend =
  'The drawing shows what you see; you are ^^ and look up. Each cell has two signs: ## wall, .. free, blank not seen; ' +
  'otherwise k key, o ball, b box, d closed door, l locked door, _ open door, and then its colour: r red, g green, ' +
  'b blue, p purple, y yellow, e grey.';

/** Rows of cells from the farthest to the nearest, two signs each. */
export function drawView(view: View): string {
  const rows = Array.from({ length: viewSize }, (_, row) => {
    const cells = [...view.codes.slice(row * viewSize, (row + 1) * viewSize)].map((code, column) => {
      const isOwn = row === viewSize - 1 && column === (viewSize - 1) / 2;
      return isOwn ? '^^' : drawCell(code);
    });
    return cells.join(' ').trimEnd();
  });
  return rows.join('\n');
}

function drawCell(code: number): string {
  if (code === unseenCode) return '  ';
  if (code === emptyCode) return '..';
  const kind = code & 0xff;
  if (kind === kindCodes.wall) return '##';
  const sign = kind === kindCodes.door ? doorSigns[code >> 16] : signs.get(kind);
  return `${sign}${colourSigns[(code >> 8) & 0xff]}`;
}

/** The original's observation: `image[column][row]` is the kind, the colour and the state of a cell. */
export function viewAsData(view: View, viewer: Viewer): { readonly direction: number; readonly image: number[][][] } {
  const image = Array.from({ length: viewSize }, (_, column) =>
    Array.from({ length: viewSize }, (__, row) => {
      const code = view.codes[row * viewSize + column] as number;
      return [code & 0xff, (code >> 8) & 0xff, code >> 16];
    }),
  );
  return { direction: viewer.direction, image };
}

export const jsonLegend =
  'Each observation is JSON: mission, direction ' +
  `(${directionNames.map((name, number) => `${number} ${name}`).join(', ')}), and image: image[column][row] is ` +
  '[kind, colour, state], columns from left to right, rows from far to near; you are at image[3][6] and look up, and ' +
  'this cell shows what you carry. Kinds: 0 unseen, 1 free, 2 wall, 4 door, 5 key, 6 ball, 7 box. ' +
  `Colours: ${colours.map((name, number) => `${number} ${name}`).join(', ')}. ` +
  `States of doors: ${doorStates.map((name, number) => `${number} ${name}`).join(', ')}.`;
