// `RoomGridLevel._gen_grid`, `validate_instrs` and `reset` of minigrid/envs/babyai/core/roomgrid_level.py.
import { PutNext } from '../instructions/commands.js';
import type { Instruction } from '../instructions/instruction.js';
import type { NumpyGenerator } from '../random/numpy-generator.js';
import { Thing } from '../world/thing.js';
import type { Beginning } from '../world/world.js';
import { EndlessLevelError, RejectedLevel } from './level-errors.js';
import type { Level } from './level-table.js';
import { RoomGrid } from './room-grid.js';

/** A level that was drawn. */
export interface GeneratedLevel extends Beginning {
  readonly mission: string;
  /** Where the thing lay that the agent carries at the start: the original shows it there once. */
  readonly carriedFrom?: { readonly x: number; readonly y: number };
}

/** Drafts that are thrown away before the level counts as endless. The worst seen needed some hundreds. */
const mostDrafts = 100_000;

/**
 * Draws a level. Several calls with one generator give the episodes that follow each other in the original.
 * Throws an `EndlessLevelError` where the original never returns.
 */
export function generateLevel(level: Level, random: NumpyGenerator): GeneratedLevel {
  for (let draft = 0; draft < mostDrafts; draft += 1) {
    try {
      return drawLevel(level, random);
    } catch (error) {
      if (!(error instanceof RejectedLevel)) throw error;
    }
  }
  throw new EndlessLevelError(`none of ${mostDrafts} drafts is a valid level`);
}

function drawLevel({ kind, settings }: Level, random: NumpyGenerator): GeneratedLevel {
  const rooms = new RoomGrid(settings, random);
  const { instruction, carried } = kind.make(rooms, settings);
  refuseInvalid(instruction, rooms, settings.sentence?.unblocking === true);
  instruction.begin(rooms);
  const mission = instruction.words;
  const { roomSize, rows, columns, stepsPerCell } = settings;
  const carriedFrom = carried === undefined ? undefined : { x: carried.x, y: carried.y };
  if (carried !== undefined) {
    rooms.grid.set(carried.x, carried.y, undefined);
    carried.x = -1;
    carried.y = -1;
  }
  return {
    grid: rooms.grid,
    x: rooms.x,
    y: rooms.y,
    direction: rooms.direction,
    carrying: carried,
    instruction,
    mission,
    maxSteps: (stepsPerCell ?? instruction.ways * rows * columns) * roomSize ** 2,
    ...(carriedFrom !== undefined && { carriedFrom }),
  };
}

/** Puts that are done already or cannot be done, and commands about keys that doors may need. */
function refuseInvalid(instruction: Instruction, rooms: RoomGrid, protectsKeys: boolean): void {
  const locked = new Set(
    protectsKeys
      ? rooms.rooms
          .flat()
          .flatMap(({ doors }) =>
            doors.flatMap((door) => (door instanceof Thing && door.state === 'locked' ? [door.colour] : [])),
          )
      : [],
  );
  for (const command of instruction.commands) {
    if (command instanceof PutNext) {
      command.begin(rooms);
      if (command.moved.things.some((thing) => command.fixed.things.includes(thing))) {
        throw new RejectedLevel('something would be put next to itself');
      }
      if (command.areNext) throw new RejectedLevel('the things are next to each other');
    }
    for (const { wanted } of command.descriptions) {
      if (wanted.kind === 'key' && wanted.colour !== undefined && locked.has(wanted.colour)) {
        throw new RejectedLevel('the key of a door is spoken of');
      }
    }
  }
}
