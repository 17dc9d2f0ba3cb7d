// What the agent sees: `gen_obs_grid` of minigrid/minigrid_env.py and `process_vis` of minigrid/core/grid.py.
import { stepX, stepY, type Direction } from './direction.js';
import type { Grid } from './grid.js';
import { emptyCode, unseenCode, type Thing } from './thing.js';

/** Cells in each direction; the agent stands in the middle of the lowest row and looks up. */
export const viewSize = 7;
const middle = (viewSize - 1) / 2;
const last = viewSize - 1;

/** Where the agent stands, and what it has in its hands. */
export interface Viewer {
  readonly x: number;
  readonly y: number;
  readonly direction: Direction;
  readonly carrying: Thing | undefined;
}

/**
 * The view, row by row from the farthest, each from left to right. A cell is a code of kind, colour and state (see
 * `Thing.code`), `emptyCode`, or `unseenCode`. The agent's own cell shows what it carries.
 */
export class View {
  readonly codes = new Int32Array(viewSize * viewSize);
  readonly #seeThrough = new Uint8Array(viewSize * viewSize);
  readonly #visible = new Uint8Array(viewSize * viewSize);

  /** Looks again. Returns whether anything looks different than before. */
  look(grid: Grid, viewer: Viewer): boolean {
    const codes = this.codes;
    const seeThrough = this.#seeThrough;
    const visible = this.#visible;
    const forwardX = stepX[viewer.direction];
    const forwardY = stepY[viewer.direction];
    // Right of the agent is one step of a right turn: (-forwardY, forwardX).
    const left = viewer.x + forwardX * last + forwardY * middle;
    const top = viewer.y + forwardY * last - forwardX * middle;
    let changed = false;
    visible.fill(0);
    visible[last * viewSize + middle] = 1;
    for (let row = 0; row < viewSize; row += 1) {
      for (let column = 0; column < viewSize; column += 1) {
        const thing = this.#thingAt(grid, left, top, forwardX, forwardY, row, column);
        seeThrough[row * viewSize + column] = thing === undefined || thing.seeThrough ? 1 : 0;
      }
    }
    this.#spread();
    for (let row = 0; row < viewSize; row += 1) {
      for (let column = 0; column < viewSize; column += 1) {
        const at = row * viewSize + column;
        let code = unseenCode;
        if (visible[at] === 1) {
          code = this.#thingAt(grid, left, top, forwardX, forwardY, row, column)?.code ?? emptyCode;
        }
        if (row === last && column === middle) code = viewer.carrying?.code ?? emptyCode;
        if (codes[at] !== code) {
          changed = true;
          codes[at] = code;
        }
      }
    }
    return changed;
  }

  /** The observation's `image` as bytes: columns from left to right, each from the farthest cell to the nearest. */
  image(): Uint8Array {
    const bytes = new Uint8Array(3 * viewSize * viewSize);
    let at = 0;
    for (let column = 0; column < viewSize; column += 1) {
      for (let row = 0; row < viewSize; row += 1) {
        const code = this.codes[row * viewSize + column] as number;
        bytes[at] = code & 0xff;
        bytes[at + 1] = (code >> 8) & 0xff;
        bytes[at + 2] = code >> 16;
        at += 3;
      }
    }
    return bytes;
  }

  #thingAt(
    grid: Grid,
    left: number,
    top: number,
    forwardX: number,
    forwardY: number,
    row: number,
    column: number,
  ): Thing | undefined {
    return grid.get(left - forwardX * row - forwardY * column, top - forwardY * row + forwardX * column);
  }

  /**
   * Light goes from the agent upwards. In each row it spreads to the right and then to the left, and from each lit cell
   * that can be seen through to the row above, straight and in the direction of the sweep.
   */
  #spread(): void {
    const visible = this.#visible;
    const seeThrough = this.#seeThrough;
    for (let row = last; row >= 0; row -= 1) {
      const here = row * viewSize;
      const above = here - viewSize;
      for (let column = 0; column < last; column += 1) {
        if (visible[here + column] === 0 || seeThrough[here + column] === 0) continue;
        visible[here + column + 1] = 1;
        if (row === 0) continue;
        visible[above + column + 1] = 1;
        visible[above + column] = 1;
      }
      for (let column = last; column > 0; column -= 1) {
        if (visible[here + column] === 0 || seeThrough[here + column] === 0) continue;
        visible[here + column - 1] = 1;
        if (row === 0) continue;
        visible[above + column - 1] = 1;
        visible[above + column] = 1;
      }
    }
  }
}
