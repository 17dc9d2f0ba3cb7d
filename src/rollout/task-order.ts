import type { Random } from '../contracts/random.js';
import type { TaskList } from './world-handle.js';

/** Splits above this many tasks are drawn from at random instead of shuffled whole. */
const largestShuffle = 1_000_000;

/** The tasks at `count` places from `first` on. */
export type TaskOrder = (first: number, count: number) => Promise<readonly string[]>;

/**
 * An endless order of tasks, as a function of place: a bounded split is gone through in a new order each time around,
 * so that every task comes equally often; an unbounded one is drawn from at random.
 */
export function taskOrder(tasks: TaskList, random: Random): TaskOrder {
  const { count } = tasks;
  const places = (first: number, many: number) => Array.from({ length: many }, (_, index) => first + index);
  if (count === 'unbounded' || count > largestShuffle) {
    return (first, many) => tasks.draw(places(first, many).map((place) => random.stream('draw', place)));
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

/** Some tasks of a split, each at most once if the split is bounded: all of them, in order, if there are not more. */
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

/** `size` of the numbers below `count`, ascending (Floyd's algorithm: Bentley and Floyd 1987, Programming Pearls). */
function sample(count: number, size: number, random: Random): number[] {
  const chosen = new Set<number>();
  for (let last = count - size; last < count; last += 1) {
    const candidate = random.integer(0, last + 1);
    chosen.add(chosen.has(candidate) ? last : candidate);
  }
  return [...chosen].sort((a, b) => a - b);
}
