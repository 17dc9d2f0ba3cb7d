import type { TaskSource, World } from '@agentgym/cli';

import type { Options } from './options.js';

/** A square of the town: its column from the west and its row from the south, both from 0. */
export interface Square {
  readonly column: number;
  readonly row: number;
}

/** The start of a game. */
export interface Delivery {
  readonly start: Square;
  readonly parcel: Square;
  readonly door: Square;
}

const written = ({ column, row }: Square): string => `${column}.${row}`;

/** Equal squares are the same place. */
export const same = (a: Square, b: Square): boolean => a.column === b.column && a.row === b.row;

/**
 * The id of a game, such as `0.2-3.1-1.0`: start, parcel, door. It contains everything, so it means the same on every
 * machine.
 */
const taskId = ({ start, parcel, door }: Delivery): string => [start, parcel, door].map(written).join('-');

/** The game of an id. Throws on a string that is not an id. */
export function parseTask(task: string, { size }: Options): Delivery {
  const numbers = /^(\d)\.(\d)-(\d)\.(\d)-(\d)\.(\d)$/.exec(task)?.slice(1).map(Number);
  const [a = size, b = size, c = size, d = size, e = size, f = size] = numbers ?? [];
  const delivery = { start: { column: a, row: b }, parcel: { column: c, row: d }, door: { column: e, row: f } };
  if (Math.max(a, b, c, d, e, f) >= size || same(delivery.parcel, delivery.door)) {
    throw new Error(`"${task}" is not a task of this game: expected START-PARCEL-DOOR such as 0.2-3.1-1.0`);
  }
  return delivery;
}

/** A list of ids as a split. */
function sourceOf(ids: readonly string[]): TaskSource {
  return {
    count: ids.length,
    id: (place) => {
      const id = ids[place];
      if (id === undefined) throw new RangeError(`there are ${ids.length} tasks, none at place ${place}`);
      return id;
    },
    random: (random) => random.choice(ids),
  };
}

/**
 * All games of a town. A hash of the id decides the split of a game: three fifths train, a fifth each validation and
 * test.
 */
export function listTasks({ size }: Options): World['splits'] {
  const squares = Array.from({ length: size * size }, (_, n) => ({ column: n % size, row: Math.floor(n / size) }));
  const parts: readonly [train: string[], validation: string[], test: string[]] = [[], [], []];
  for (const start of squares) {
    for (const parcel of squares) {
      for (const door of squares) {
        if (same(parcel, door)) continue;
        const id = taskId({ start, parcel, door });
        const fifth = hash(id) % 5;
        parts[fifth === 3 ? 1 : fifth === 4 ? 2 : 0].push(id);
      }
    }
  }
  const [train, validation, test] = parts;
  return { train: sourceOf(train), validation: sourceOf(validation), test: sourceOf(test) };
}

/** FNV-1a, 32 bits. Its halves are mixed, because the low bits alone are poor. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (value ^ (value >>> 16)) >>> 0;
}
