import { emptyCode, wall, type Thing } from './thing.js';

/** A rectangle of cells, each with at most one thing; the first cell is at the top left. */
export class Grid {
  readonly cells: (Thing | undefined)[];

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.cells = new Array<Thing | undefined>(width * height).fill(undefined);
  }

  /** What is in a cell; outside there are walls. */
  get(x: number, y: number): Thing | undefined {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? this.cells[y * this.width + x] : wall;
  }

  set(x: number, y: number, thing: Thing | undefined): void {
    this.cells[y * this.width + x] = thing;
  }

  /** Puts a thing down, which then knows where it is. */
  place(thing: Thing, x: number, y: number): void {
    this.set(x, y, thing);
    thing.x = x;
    thing.y = y;
  }

  /** Walls along the sides of a rectangle. */
  wallRectangle(left: number, top: number, width: number, height: number): void {
    for (let x = left; x < left + width; x += 1) {
      this.set(x, top, wall);
      this.set(x, top + height - 1, wall);
    }
    for (let y = top; y < top + height; y += 1) {
      this.set(left, y, wall);
      this.set(left + width - 1, y, wall);
    }
  }

  /** Whether the thing stands in the grid, and not in a hand or a box. */
  holds(thing: Thing): boolean {
    return thing.x >= 0 && this.cells[thing.y * this.width + thing.x] === thing;
  }

  /** Kind, colour and state of each cell, column by column: `Grid.encode()` of the original as bytes. */
  encode(): Uint8Array {
    const bytes = new Uint8Array(3 * this.cells.length);
    let at = 0;
    for (let x = 0; x < this.width; x += 1) {
      for (let y = 0; y < this.height; y += 1) {
        const code = this.cells[y * this.width + x]?.code ?? emptyCode;
        bytes[at] = code & 0xff;
        bytes[at + 1] = (code >> 8) & 0xff;
        bytes[at + 2] = code >> 16;
        at += 3;
      }
    }
    return bytes;
  }
}
