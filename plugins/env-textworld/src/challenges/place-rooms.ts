// Places named rooms on a grid by a random walk, as cooking games do (`RandomWalk` in `tw_cooking/cooking.py`).
import type { Direction } from '../generate/make-map.js';
import type { NumpyRandom } from '../generate/numpy-random.js';

const size = 5;
const mostAttempts = 200;

/** Grid cells by number, with the neighbours of each in the order in which the original visits them. */
const cellNeighbours: readonly (readonly number[])[] = Array.from({ length: size * size }, (_, cell) => {
  const column = cell % size;
  const around: number[] = [];
  if (cell >= size) around.push(cell - size);
  if (cell < size * (size - 1)) around.push(cell + size);
  if (column > 0) around.push(cell - 1);
  if (column < size - 1) around.push(cell + 1);
  return around;
});

/** Rooms in the order in which they were placed, and which of them have an exit to each other. */
interface RoomPlan {
  readonly names: readonly string[];
  readonly exits: readonly {
    readonly from: number;
    readonly direction: Direction;
    readonly to: number;
  }[];
}

/** The original names the directions as seen from the other room: a neighbour in the next row lies in the west. */
function directionOf(from: number, to: number): Direction {
  if (to === from + size) return 'west';
  if (to === from - size) return 'east';
  return to === from + 1 ? 'south' : 'north';
}

class RandomWalk {
  readonly cells: number[] = [];
  readonly names: string[] = [];
  readonly links: (readonly [number, number])[] = [];
  private readonly nameAt: (string | undefined)[] = new Array<string | undefined>(size * size).fill(undefined);
  private attempts = 0;

  constructor(
    private readonly random: NumpyRandom,
    private readonly neighbours: Readonly<Record<string, readonly string[]>>,
  ) {}

  /** Walks from a placed room until all rooms of a group are placed; gives up after a number of attempts. */
  placeGroup(start: number, group: readonly string[]): boolean {
    this.attempts = 0;
    return this.walk(start, group);
  }

  place(cell: number, name: string): void {
    this.cells.push(cell);
    this.names.push(name);
    this.nameAt[cell] = name;
  }

  private walk(cell: number, remaining: readonly string[]): boolean {
    if (remaining.length === 0) return true;
    this.attempts += 1;
    if (this.attempts > mostAttempts) return false;
    const nextCells = (cellNeighbours[cell] ?? []).slice();
    this.random.shuffle(nextCells);
    const allowed = this.neighbours[this.nameAt[cell] ?? ''] ?? [];
    for (const next of nextCells) {
      const name = this.nameAt[next];
      if (name !== undefined) {
        if (allowed.includes(name) && this.tryStep(cell, next, remaining)) return true;
        continue;
      }
      const candidates = allowed.filter((candidate) => remaining.includes(candidate));
      this.random.shuffle(candidates);
      for (const candidate of candidates) {
        this.place(next, candidate);
        const left = remaining.filter((other) => other !== candidate);
        if (this.tryStep(cell, next, left)) return true;
        this.cells.pop();
        this.names.pop();
        this.nameAt[next] = undefined;
      }
    }
    return false;
  }

  /** Goes on from a neighbouring cell and takes the new exit back if that leads nowhere. */
  private tryStep(from: number, to: number, remaining: readonly string[]): boolean {
    const isNew = !this.links.some(([a, b]) => (a === from && b === to) || (a === to && b === from));
    if (isNew) this.links.push([from, to]);
    if (this.walk(to, remaining)) return true;
    if (isNew) this.links.pop();
    return false;
  }
}

/**
 * Places rooms group by group, each group by a walk that starts in the first room of the first group.
 *
 * @param neighbours - rooms that may have an exit to each other
 * @throws Error if the rooms fit nowhere
 */
export function placeRooms(
  random: NumpyRandom,
  groups: readonly (readonly string[])[],
  neighbours: Readonly<Record<string, readonly string[]>>,
): RoomPlan {
  const first = groups[0]?.[0] ?? '';
  const starts = Array.from(cellNeighbours.keys());
  random.shuffle(starts);
  for (const start of starts) {
    const walk = new RandomWalk(random, neighbours);
    walk.place(start, first);
    if (
      !groups.every((group) =>
        walk.placeGroup(
          start,
          group.filter((name) => name !== first),
        ),
      )
    )
      continue;
    return {
      names: walk.names,
      exits: walk.links.map(([from, to]) => ({
        from: walk.cells.indexOf(from),
        direction: directionOf(from, to),
        to: walk.cells.indexOf(to),
      })),
    };
  }
  throw new Error(`The rooms ${groups.flat().join(', ')} cannot be placed on a grid of ${size} by ${size}.`);
}
