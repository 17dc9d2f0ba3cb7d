import type { SplitName, TaskFacts } from '@agentgym/cli';
import { eachSplit, listTasks, type CountedTasks } from '@agentgym/world-kit';

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

/**
 * Games on the same interval have the same best play, so they form a cluster. A wider interval needs more halvings.
 */
export function aboutTask(task: string): TaskFacts {
  const { low, high, secret } = parseTask(task);
  return { cluster: `${low}-${high}`, labels: { width: high - low + 1 }, references: [String(secret)] };
}

/**
 * Train, validation and test get three fifths, one fifth and one fifth of the intervals (or games), chosen by a hash of
 * their names.
 */
export function dealTasks(options: Options): Readonly<Record<SplitName, CountedTasks>> {
  const intervals = allIntervals(options);
  const secretsOf = ([low, high]: readonly [number, number]): Game[] =>
    Array.from({ length: high - low + 1 }, (_, offset) => ({ low, high, secret: low + offset }));
  if (options.splitBy === 'task') {
    const games = deal(intervals.flatMap(secretsOf), taskId);
    return eachSplit((split) => listTasks(games[split], taskId));
  }
  const dealt = deal(intervals, ([low, high]) => `${low}-${high}`);
  return eachSplit((split) => listTasks(dealt[split].flatMap(secretsOf), taskId));
}

function allIntervals({ lowest, highest, width }: Options): (readonly [number, number])[] {
  const [narrowest = 0, widest = 0] = width;
  const intervals: (readonly [number, number])[] = [];
  for (let count = narrowest; count <= widest; count += 1) {
    for (let low = lowest; low + count - 1 <= highest; low += 1) intervals.push([low, low + count - 1]);
  }
  return intervals;
}

/** The items of each split, in the order of the list. */
function deal<T>(items: readonly T[], name: (item: T) => string): Readonly<Record<SplitName, readonly T[]>> {
  const ranked = items.map((item, index) => ({ index, rank: hash(name(item)) }));
  ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
  const heldOut = Math.floor(items.length / 5);
  const splitAt = (position: number): SplitName =>
    position < heldOut ? 'validation' : position < 2 * heldOut ? 'test' : 'train';
  const splitOf = new Map(ranked.map(({ index }, position) => [index, splitAt(position)]));
  return eachSplit((split) => items.filter((_, index) => splitOf.get(index) === split));
}

/** FNV-1a with the final mix of MurmurHash3, because FNV alone gives neighbours equal high bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
