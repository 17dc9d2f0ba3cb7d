import type { Random, SplitName, TaskFacts, TaskSource } from '@agentgym/cli';

export const splitNames = ['train', 'validation', 'test'] as const satisfies readonly SplitName[];

/** One value for each split. */
export function eachSplit<Value>(make: (split: SplitName) => Value): Readonly<Record<SplitName, Value>> {
  return { train: make('train'), validation: make('validation'), test: make('test') };
}

/** Tasks with ids that are available without waiting. */
export interface TaskList extends TaskSource {
  id(place: number): string;
  random(random: Random): string;
}

/** Tasks of a split that ends. */
export interface CountedTasks extends TaskList {
  readonly count: number;
}

/** All tasks of a world, as `open` returns them, and how one is read. */
export interface TaskBook<Task> {
  readonly splits: { readonly [name in SplitName]: TaskSource };
  /** Tasks of two splits may be in one cluster. */
  readonly sharesClusters: boolean;
  /** Throws if the id is not one of these tasks; so does `read`. */
  readonly about: (id: string) => TaskFacts;
  read(id: string): Task;
}

/** The tasks of a list, in its order. An id past its end is a RangeError. */
export function listTasks<Item>(items: readonly Item[], idOf: (item: Item) => string): CountedTasks {
  return {
    count: items.length,
    id: (place) => {
      if (place in items) return idOf(items[place] as Item);
      throw new RangeError(`there are only ${items.length} tasks, so there is no task at place ${place}`);
    },
    random: (random) => idOf(random.choice(items)),
  };
}

/** The error about an id that no task has. Long ids are cut. `kind`: what the id is not, such as "a task of BabyAI". */
export function unknownTask(id: string, kind: string, example: string): Error {
  return new Error(`${JSON.stringify(id.slice(0, 100))} is not ${kind}; ids look like ${example}`);
}
