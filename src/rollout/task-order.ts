import type { Random } from '../contracts/random.js';
import { epochOrder } from '../random/keyed-permutation.js';
import type { TaskList } from './world-handle.js';

/** The order of larger splits is computed by place instead of kept as a list. */
const largestShuffle = 1_000_000;

/** The tasks at `count` places, starting with `first`. */
export type TaskOrder = (first: number, count: number) => Promise<readonly string[]>;

/**
 * An endless order of tasks as a function of the place. A bounded split is shuffled anew in each round, so that every
 * task comes equally often. An unbounded split is sampled at random.
 */
export function taskOrder(tasks: TaskList, random: Random): TaskOrder {
  const { count } = tasks;
  const places = (first: number, many: number) => Array.from({ length: many }, (_, index) => first + index);
  if (count === 'unbounded') {
    return (first, many) => tasks.draw(places(first, many).map((place) => random.stream('draw', place)));
  }
  if (count > largestShuffle) {
    const order = epochOrder(count, random);
    return (first, many) => tasks.ids(places(first, many).map(order));
  }
  let known: { readonly round: number; readonly order: readonly number[] } | undefined;
  const at = (place: number): number => {
    const round = Math.floor(place / count);
    if (known?.round !== round) {
      const indices = Array.from({ length: count }, (_, index) => index);
      known = { round, order: random.stream('round', round).shuffle(indices) };
    }
    return known.order[place % count] as number;
  };
  return (first, many) => tasks.ids(places(first, many).map(at));
}

/**
 * Some tasks of a split, each at most once if the split is bounded. If it has no more than `tasks`, all of them in
 * order.
 */
export function chooseTasks(list: TaskList, tasks: number, random: Random): Promise<readonly string[]> {
  const { count } = list;
  if (count === 'unbounded') {
    return list.draw(Array.from({ length: tasks }, (_, index) => random.stream('draw', index)));
  }
  if (tasks >= count) return allTasks(list);
  return list.ids(sample(count, tasks, random.stream('choice')));
}

/** Every task of a bounded split, in order. */
export function allTasks(tasks: TaskList): Promise<readonly string[]> {
  const { count } = tasks;
  if (count === 'unbounded') throw new RangeError('an unbounded split has no list of all its tasks');
  return tasks.ids(Array.from({ length: count }, (_, place) => place));
}

/** Some places of a list of chosen tasks, ascending; all if it has no more than `tasks`. */
export function choosePlaces(count: number, tasks: number, random: Random): readonly number[] {
  if (tasks < count) return sample(count, tasks, random);
  return Array.from({ length: count }, (_, place) => place);
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
