import type { TaskSource } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';

/** Splits above this many tasks are drawn from at random instead of shuffled whole. */
const largestShuffle = 1_000_000;

/**
 * An endless order of tasks, as a function of place: a bounded split is gone through in a new order each time around, so that every
 * task comes equally often; an unbounded one is drawn from at random.
 */
export function taskOrder(source: TaskSource, random: Random): (place: number) => string {
  const { count } = source;
  if (count === 'unbounded' || count > largestShuffle) return (place) => source.random(random.stream('draw', place));
  let known: { readonly round: number; readonly order: readonly number[] } | undefined;
  return (place) => {
    const round = Math.floor(place / count);
    if (known?.round !== round) {
      const indices = Array.from({ length: count }, (_, index) => index);
      known = { round, order: random.stream('round', round).shuffle(indices) };
    }
    return source.id(known.order[place % count] as number);
  };
}

/**
 * Some tasks of a split, each at most once where the split is bounded: all of them, in their order, where no more are there.
 */
export function chooseTasks(source: TaskSource, tasks: number, random: Random): string[] {
  const { count } = source;
  if (count === 'unbounded') {
    return Array.from({ length: tasks }, (_, index) => source.random(random.stream('draw', index)));
  }
  if (tasks >= count) return Array.from({ length: count }, (_, index) => source.id(index));
  return sample(count, tasks, random.stream('choice')).map((index) => source.id(index));
}

/** `size` of the numbers below `count`, ascending (Floyd's algorithm: Bentley and Floyd 1987, Programming Pearls). */
function sample(count: number, size: number, random: Random): number[] {
  const chosen = new Set<number>();
  for (let last = count - size; last < count; last += 1) {
    const candidate = random.integer(0, last + 1);
    chosen.add(chosen.has(candidate) ? last : candidate);
  }
  return [...chosen].sort((a, b) => a - b);
}
