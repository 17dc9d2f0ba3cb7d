import type { Random, SplitName, TaskFacts, TaskSource } from '@agentgym/cli';

import type { Options } from './options.js';

/** One game: an interval, bounds included, and the number hidden in it. */
export interface Game {
  readonly low: number;
  readonly high: number;
  readonly secret: number;
}

/** The id of a game, such as `4-33/17`. */
function taskId({ low, high, secret }: Game): string {
  return `${low}-${high}/${secret}`;
}

/** The game of an id. Throws if the string is not an id. */
export function parseTask(task: string): Game {
  const match = /^(\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(task);
  const [low = 0, high = 0, secret = 0] = match?.slice(1).map(Number) ?? [];
  if (match === null || low > secret || secret > high) {
    throw new Error(`"${task}" is not a task of guess-number; a task looks like LOW-HIGH/SECRET, such as 4-33/17`);
  }
  return { low, high, secret };
}

/** Games as tasks, in the order of the list. */
class Games implements TaskSource {
  readonly #games: readonly Game[];

  constructor(games: readonly Game[]) {
    this.#games = games;
  }

  get count(): number {
    return this.#games.length;
  }

  id(place: number): string {
    const game = this.#games[place];
    if (game === undefined)
      throw new RangeError(`there are only ${this.count} tasks, so there is no task at place ${place}`);
    return taskId(game);
  }

  random(random: Random): string {
    return taskId(random.choice(this.#games));
  }
}

/**
 * Games on the same interval have the same best play, so they form a cluster. A wider interval needs more halvings.
 */
export function aboutTask(task: string): TaskFacts {
  const { low, high } = parseTask(task);
  return { cluster: `${low}-${high}`, labels: { width: high - low + 1 } };
}

/**
 * Train, validation and test get three fifths, one fifth and one fifth of the intervals (or games), chosen by a hash of
 * their names.
 */
export function dealTasks(options: Options): Readonly<Record<SplitName, Games>> {
  const intervals = allIntervals(options);
  const secretsOf = ([low, high]: readonly [number, number]): Game[] =>
    Array.from({ length: high - low + 1 }, (_, offset) => ({ low, high, secret: low + offset }));
  const parts =
    options.splitBy === 'interval'
      ? deal(intervals, ([low, high]) => `${low}-${high}`).map((part) => part.flatMap(secretsOf))
      : deal(intervals.flatMap(secretsOf), taskId);
  const [train = [], validation = [], test = []] = parts;
  return { train: new Games(train), validation: new Games(validation), test: new Games(test) };
}

function allIntervals({ lowest, highest, width }: Options): (readonly [number, number])[] {
  const [narrowest = 0, widest = 0] = width;
  const intervals: (readonly [number, number])[] = [];
  for (let count = narrowest; count <= widest; count += 1) {
    for (let low = lowest; low + count - 1 <= highest; low += 1) intervals.push([low, low + count - 1]);
  }
  return intervals;
}

/** Splits items into train, validation and test, each part in the order of the list. */
function deal<T>(items: readonly T[], name: (item: T) => string): T[][] {
  const ranked = items.map((item, index) => ({ index, rank: hash(name(item)) }));
  ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const heldOut = Math.floor(items.length / 5);
  const partOf = new Map(
    ranked.map(({ index }, position) => [index, position < heldOut ? 1 : position < 2 * heldOut ? 2 : 0]),
  );
  const parts: T[][] = [[], [], []];
  items.forEach((item, index) => parts[partOf.get(index) ?? 0]?.push(item));
  return parts;
}

/** FNV-1a with the final mix of MurmurHash3, because FNV alone gives neighbours equal high bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
