// Descriptions of things in instructions: `ObjDesc` of minigrid/envs/babyai/core/verifier.py.
import { stepX, stepY } from '../world/direction.js';
import type { Grid } from '../world/grid.js';
import type { Colour, Kind, Place, Thing } from '../world/thing.js';
import type { WorldState } from '../world/world-state.js';

/** Where a thing is, seen from the start of the agent, within the room in which it starts. */
export const locations = ['left', 'right', 'front', 'behind'] as const;
type Location = (typeof locations)[number];

/** What a description asks for; what is absent may be anything. */
export interface Wanted {
  readonly kind?: Exclude<Kind, 'wall'>;
  readonly colour?: Colour;
  readonly location?: Location;
}

/** Where the agent is, and how large the rooms are. */
export interface Standpoint {
  readonly grid: Grid;
  readonly x: number;
  readonly y: number;
  readonly direction: WorldState['direction'];
  readonly roomSize: number;
}

const locationWords: Readonly<Record<Location, string>> = {
  left: 'on your left',
  right: 'on your right',
  front: 'in front of you',
  behind: 'behind you',
};

export class Description {
  /** The things that match, as they were at the start. */
  things: readonly Thing[] = [];
  /** Where they were seen last. Only dropping something makes an instruction look again. */
  places: readonly Place[] = [];

  constructor(readonly wanted: Wanted) {}

  /** Finds the things that match now. Walls match a colour too, as in the original. */
  find(from: Standpoint): void {
    const { kind, colour, location } = this.wanted;
    const { grid } = from;
    const things: Thing[] = [];
    const places: Place[] = [];
    for (let x = 0; x < grid.width; x += 1) {
      for (let y = 0; y < grid.height; y += 1) {
        const thing = grid.cells[y * grid.width + x];
        if (thing === undefined) continue;
        if (kind !== undefined && thing.kind !== kind) continue;
        if (colour !== undefined && thing.colour !== colour) continue;
        if (location !== undefined && !isAt(location, from, x, y)) continue;
        things.push(thing);
        places.push({ x, y });
      }
    }
    this.things = things;
    this.places = places;
  }

  /** Looks where the things are now that matched at the start. */
  follow(grid: Grid): void {
    const walls = this.places.filter(({ x, y }) => grid.get(x, y)?.kind === 'wall');
    const standing = this.things.filter((thing) => thing.kind !== 'wall' && grid.holds(thing));
    this.places = [...walls, ...standing.map(({ x, y }) => ({ x, y }))];
  }

  /** `the red ball`, or `a red ball` if several match. */
  get words(): string {
    const { kind, colour, location } = this.wanted;
    const parts = [
      this.things.length > 1 ? 'a' : 'the',
      colour,
      kind ?? 'object',
      location === undefined ? undefined : locationWords[location],
    ];
    return parts.filter((part) => part !== undefined).join(' ');
  }

  /** The same description of the things that stand for these in a copy of the world. */
  copy(copyOf: (thing: Thing) => Thing): Description {
    const copied = new Description(this.wanted);
    copied.things = this.things.map(copyOf);
    copied.places = this.places;
    return copied;
  }
}

/** Rooms share their walls, so a room has `roomSize` cells in a row, and the next begins at its last. */
function isAt(location: Location, { x, y, direction, roomSize }: Standpoint, column: number, row: number): boolean {
  const pitch = roomSize - 1;
  const left = Math.floor(x / pitch) * pitch;
  const top = Math.floor(y / pitch) * pitch;
  if (column < left || row < top || column > left + pitch || row > top + pitch) return false;
  const forward = (column - x) * stepX[direction] + (row - y) * stepY[direction];
  const sideways = (row - y) * stepX[direction] - (column - x) * stepY[direction];
  switch (location) {
    case 'left':
      return sideways < 0;
    case 'right':
      return sideways > 0;
    case 'front':
      return forward > 0;
    case 'behind':
      return forward < 0;
  }
}
