import { articulationPoints } from './articulation-points.js';
import type { NumpyRandom } from './numpy-random.js';

export type DoorState = 'open' | 'closed' | 'locked';
export type Direction = 'north' | 'south' | 'east' | 'west';

/** A way between two rooms. */
interface Passage {
  /** Index of a room. */
  readonly from: number;
  readonly to: number;
  /** Where `to` lies, seen from `from`. */
  readonly direction: Direction;
  readonly door?: { readonly id: string; readonly state: DoorState };
}

export interface RoomMap {
  readonly roomCount: number;
  readonly passages: readonly Passage[];
}

export const allDoorStates: readonly DoorState[] = ['open', 'closed', 'locked'];

/** The neighbours of a cell in the order in which the original's grid lists them. */
const steps: readonly { readonly x: number; readonly y: number; readonly direction: Direction }[] = [
  { x: -1, y: 0, direction: 'west' },
  { x: 1, y: 0, direction: 'east' },
  { x: 0, y: -1, direction: 'south' },
  { x: 0, y: 1, direction: 'north' },
];

interface Way {
  readonly from: number;
  readonly to: number;
  readonly direction: Direction;
}

/** Rooms along a random walk over a square grid that is just larger than needed, with ways where the walk went. */
function walkGrid(random: NumpyRandom, roomCount: number): { ways: Way[]; neighbours: number[][] } {
  const side = Math.ceil(Math.sqrt(roomCount + 1));
  // The original never starts in the last row or column.
  let x = random.integer(0, side - 1);
  let y = random.integer(0, side - 1);
  const roomAt = new Int32Array(side * side).fill(-1);
  let room = 0;
  roomAt[x * side + y] = room;
  const neighbours: number[][] = [[]];
  const ways: Way[] = [];
  while (neighbours.length < roomCount) {
    const open = steps.filter((step) => isWithin(x + step.x, side) && isWithin(y + step.y, side));
    const step = random.choice(open);
    x += step.x;
    y += step.y;
    const cell = x * side + y;
    if (roomAt[cell] === -1) {
      roomAt[cell] = neighbours.length;
      neighbours.push([]);
    }
    const next = roomAt[cell] as number;
    const known = neighbours[room] as number[];
    if (!known.includes(next)) {
      known.push(next);
      (neighbours[next] as number[]).push(room);
      ways.push({ from: room, to: next, direction: step.direction });
    }
    room = next;
  }
  return { ways, neighbours };
}

function isWithin(coordinate: number, side: number): boolean {
  return coordinate >= 0 && coordinate < side;
}

/**
 * Makes a map (`make_map` of `generator/__init__.py`): rooms along a random walk, and doors between neighbours that are
 * both articulation points of the map. Without door states there are no doors.
 *
 * @param roomCount 1 or more
 */
export function makeMap(
  random: NumpyRandom,
  roomCount: number,
  doorStates: readonly DoorState[] = allDoorStates,
): RoomMap {
  const { ways, neighbours } = walkGrid(random, roomCount);
  if (doorStates.length === 0) return { roomCount, passages: ways };
  const doors = new Map<Way, { readonly id: string; readonly state: DoorState }>();
  const points = articulationPoints(neighbours);
  points.forEach((room, index) => {
    for (const other of points.slice(index + 1)) {
      if (!neighbours[room]?.includes(other)) continue;
      const way = ways.find(({ from, to }) => (from === room && to === other) || (from === other && to === room));
      if (way) doors.set(way, { id: `d_${doors.size}`, state: random.choice(doorStates) });
    }
  });
  const passages = ways.map((way) => {
    const door = doors.get(way);
    return door ? { ...way, door } : way;
  });
  return { roomCount, passages };
}
