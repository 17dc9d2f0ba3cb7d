// A map of rooms while a level is being made: minigrid/core/roomgrid.py and the parts of
// minigrid/envs/babyai/core/roomgrid_level.py that levels are made with. The order of the random draws is the original's.
import type { NumpyGenerator } from '../random/numpy-generator.js';
import { stepX, stepY, type Direction } from '../world/direction.js';
import { Grid } from '../world/grid.js';
import { sortedColours, Thing, type Colour, type Place, type PortableKind } from '../world/thing.js';
import { EndlessLevelError, RejectedLevel } from './level-errors.js';

/** Sides of a room in the order of directions: right, down, left, up. */
export type Side = Direction;

export interface Room {
  readonly column: number;
  readonly row: number;
  readonly left: number;
  readonly top: number;
  /** By side; `removed` if there is no wall any more. */
  readonly doors: (Thing | 'removed' | undefined)[];
  readonly doorPlaces: (Place | undefined)[];
  readonly neighbours: (Room | undefined)[];
  /** As the last door that was made from this room. */
  isLocked: boolean;
  readonly things: Thing[];
}

/** Numbers that describe the map of a level. */
export interface RoomPlan {
  /** Cells from wall to wall, with both. */
  readonly roomSize: number;
  readonly rows: number;
  readonly columns: number;
}

const portableKinds: readonly PortableKind[] = ['key', 'ball', 'box'];
/** Draws of a place before the level is given up. */
const mostPlaces = 1000;
const mostDoors = 5000;

export class RoomGrid {
  readonly grid: Grid;
  readonly rooms: readonly (readonly Room[])[];
  x: number;
  y: number;
  direction: Direction = 0;

  constructor(
    readonly plan: RoomPlan,
    readonly random: NumpyGenerator,
  ) {
    const { roomSize, rows, columns } = plan;
    const pitch = roomSize - 1;
    this.grid = new Grid(columns * pitch + 1, rows * pitch + 1);
    this.rooms = Array.from({ length: rows }, (_, row) =>
      Array.from({ length: columns }, (_, column) => this.#wallRoom(column, row)),
    );
    for (const room of this.rooms.flat()) this.#chooseDoorPlaces(room);
    // Until the agent is placed, it counts as standing in the middle, and things keep away from there.
    this.x = Math.floor(columns / 2) * pitch + Math.floor(roomSize / 2);
    this.y = Math.floor(rows / 2) * pitch + Math.floor(roomSize / 2);
  }

  get roomSize(): number {
    return this.plan.roomSize;
  }

  room(column: number, row: number): Room {
    return (this.rooms[row] as readonly Room[])[column] as Room;
  }

  roomAt(x: number, y: number): Room {
    const pitch = this.plan.roomSize - 1;
    return this.room(Math.floor(x / pitch), Math.floor(y / pitch));
  }

  /** All rooms, column by column. */
  get roomsByColumn(): readonly Room[] {
    const { columns, rows } = this.plan;
    return Array.from({ length: columns * rows }, (_, at) => this.room(Math.floor(at / rows), at % rows));
  }

  randomColumn(): number {
    return this.random.integer(0, this.plan.columns);
  }

  randomRow(): number {
    return this.random.integer(0, this.plan.rows);
  }

  randomColour(): Colour {
    return this.random.choice(sortedColours);
  }

  /** A new thing in a room, not beside the agent. Kind and colour are drawn if they are not given. */
  addThing(column: number, row: number, kind?: PortableKind, colour?: Colour): Thing {
    const chosen = kind ?? this.random.choice(portableKinds);
    return this.placeInRoom(column, row, new Thing(chosen, colour ?? this.randomColour()));
  }

  placeInRoom(column: number, row: number, thing: Thing): Thing {
    const room = this.room(column, row);
    const { x, y } = this.#freePlace(room, (place) => Math.abs(this.x - place.x) + Math.abs(this.y - place.y) < 2);
    this.grid.place(thing, x, y);
    room.things.push(thing);
    return thing;
  }

  /** A door in a wall between two rooms. Side, colour and lock are drawn if they are not given. */
  addDoor(column: number, row: number, given: { side?: Side; colour?: Colour; locked?: boolean } = {}): Thing {
    const room = this.room(column, row);
    let { side } = given;
    while (side === undefined) {
      const drawn = this.random.integer(0, 4) as Side;
      if (room.neighbours[drawn] !== undefined && room.doors[drawn] === undefined) side = drawn;
    }
    const colour = given.colour ?? this.randomColour();
    const locked = given.locked ?? this.random.coin();
    room.isLocked = locked;
    const door = new Thing('door', colour, locked ? 'locked' : 'closed');
    const place = room.doorPlaces[side] as Place;
    this.grid.place(door, place.x, place.y);
    this.#connect(room, side, door);
    return door;
  }

  removeWall(column: number, row: number, side: Side): void {
    const room = this.room(column, row);
    const { left, top } = room;
    const last = this.plan.roomSize - 1;
    for (let along = 1; along < last; along += 1) {
      const x = side === 0 ? left + last : side === 2 ? left : left + along;
      const y = side === 1 ? top + last : side === 3 ? top : top + along;
      this.grid.set(x, y, undefined);
    }
    this.#connect(room, side, 'removed');
  }

  /**
   * Places the agent, in a room if it is given, not right in front of a thing. The original tries without end; this
   * throws an `EndlessLevelError` where no place and direction would do.
   */
  placeAgent(column = this.randomColumn(), row = this.randomRow()): void {
    const room = this.room(column, row);
    for (;;) {
      this.x = -1;
      this.y = -1;
      const { x, y } = this.#freePlace(room, () => false);
      this.x = x;
      this.y = y;
      this.direction = this.random.integer(0, 4) as Direction;
      if (this.#looksFree(x, y, this.direction)) return;
      if (!this.#hasPose(room)) throw new EndlessLevelError();
    }
  }

  /** Adds doors until every room can be reached. */
  connectAll(doorColours: readonly Colour[] = sortedColours): void {
    const start = this.roomAt(this.x, this.y);
    const all = this.plan.rows * this.plan.columns;
    for (let attempt = 0; attempt <= mostDoors; attempt += 1) {
      if (countReachable(start) === all) return;
      const column = this.randomColumn();
      const row = this.randomRow();
      const side = this.random.integer(0, 4) as Side;
      const room = this.room(column, row);
      const neighbour = room.neighbours[side];
      if (neighbour === undefined || room.doors[side] !== undefined) continue;
      if (room.isLocked || neighbour.isLocked) continue;
      this.addDoor(column, row, { side, colour: this.random.choice(doorColours), locked: false });
    }
    throw new RejectedLevel('the rooms cannot be connected');
  }

  /** Random things, in random rooms where no room is given. `unique`: unlike all things that are there. */
  addDistractors(count: number, given: { column?: number; row?: number; unique?: boolean } = {}): Thing[] {
    const { unique = true } = given;
    const name = (kind: string, colour: string) => `${colour} ${kind}`;
    const known = new Set(
      this.rooms.flat().flatMap(({ things }) => things.map(({ kind, colour }) => name(kind, colour))),
    );
    const added: Thing[] = [];
    while (added.length < count) {
      const colour = this.randomColour();
      const kind = this.random.choice(portableKinds);
      if (unique && known.has(name(kind, colour))) continue;
      const column = given.column ?? this.randomColumn();
      const row = given.row ?? this.randomRow();
      added.push(this.addThing(column, row, kind, colour));
      known.add(name(kind, colour));
    }
    return added;
  }

  openAllDoors(): void {
    for (const { doors } of this.rooms.flat()) {
      for (const door of doors) if (door instanceof Thing) door.state = 'open';
    }
  }

  /** Whether every thing can be reached without moving another; doors, also locked ones, are no obstacles. */
  get allReachable(): boolean {
    const { grid } = this;
    const reached = new Uint8Array(grid.cells.length);
    const stack = [this.y * grid.width + this.x];
    while (stack.length > 0) {
      const at = stack.pop() as number;
      if (at < 0 || at >= reached.length || reached[at] === 1) continue;
      reached[at] = 1;
      const thing = grid.cells[at];
      if (thing !== undefined && thing.kind !== 'door') continue;
      // The map has walls all around, so no step leaves its row.
      stack.push(at + 1, at - 1, at + grid.width, at - grid.width);
    }
    return grid.cells.every((thing, at) => thing === undefined || thing.kind === 'wall' || reached[at] === 1);
  }

  rejectUnreachable(): void {
    if (!this.allReachable) throw new RejectedLevel('a thing cannot be reached');
  }

  #wallRoom(column: number, row: number): Room {
    const { roomSize } = this.plan;
    const left = column * (roomSize - 1);
    const top = row * (roomSize - 1);
    this.grid.wallRectangle(left, top, roomSize, roomSize);
    const none = () => [undefined, undefined, undefined, undefined];
    const sides = { doors: none(), doorPlaces: none(), neighbours: none() };
    return { column, row, left, top, ...sides, isLocked: false, things: [] };
  }

  #chooseDoorPlaces(room: Room): void {
    const { column, row, left, top, neighbours, doorPlaces } = room;
    const last = this.plan.roomSize - 1;
    if (column < this.plan.columns - 1) {
      neighbours[0] = this.room(column + 1, row);
      doorPlaces[0] = { x: left + last, y: this.random.integer(top + 1, top + last) };
    }
    if (row < this.plan.rows - 1) {
      neighbours[1] = this.room(column, row + 1);
      doorPlaces[1] = { x: this.random.integer(left + 1, left + last), y: top + last };
    }
    if (column > 0) {
      neighbours[2] = this.room(column - 1, row);
      doorPlaces[2] = neighbours[2].doorPlaces[0];
    }
    if (row > 0) {
      neighbours[3] = this.room(column, row - 1);
      doorPlaces[3] = neighbours[3].doorPlaces[1];
    }
  }

  #connect(room: Room, side: Side, by: Thing | 'removed'): void {
    room.doors[side] = by;
    (room.neighbours[side] as Room).doors[(side + 2) % 4] = by;
  }

  /** A random free cell of a room, walls included in the draw. Gives the level up after many draws, as the original. */
  #freePlace({ left, top }: Room, reject: (place: Place) => boolean): Place {
    const { roomSize } = this.plan;
    for (let tries = 0; tries <= mostPlaces; tries += 1) {
      const x = this.random.integer(left, left + roomSize);
      const y = this.random.integer(top, top + roomSize);
      if (this.grid.get(x, y) !== undefined || (x === this.x && y === this.y) || reject({ x, y })) continue;
      return { x, y };
    }
    throw new RejectedLevel('no free place was found');
  }

  #looksFree(x: number, y: number, direction: Direction): boolean {
    const ahead = this.grid.get(x + stepX[direction], y + stepY[direction]);
    return ahead === undefined || ahead.kind === 'wall';
  }

  #hasPose({ left, top }: Room): boolean {
    const { roomSize } = this.plan;
    for (let x = left; x < left + roomSize; x += 1) {
      for (let y = top; y < top + roomSize; y += 1) {
        if (this.grid.get(x, y) !== undefined) continue;
        for (let direction = 0; direction < 4; direction += 1) {
          if (this.#looksFree(x, y, direction as Direction)) return true;
        }
      }
    }
    return false;
  }
}

function countReachable(start: Room): number {
  const reached = new Set<Room>();
  const stack = [start];
  for (let room = stack.pop(); room !== undefined; room = stack.pop()) {
    if (reached.has(room)) continue;
    reached.add(room);
    for (const [side, door] of room.doors.entries()) if (door !== undefined) stack.push(room.neighbours[side] as Room);
  }
  return reached.size;
}
