import type { SplitName, TaskSource, World } from '../contracts/environment.js';

/** A split with both its functions: an absent one has no tasks, and one without `random` draws a place. */
export function sourceOf({ splits }: Pick<World, 'splits'>, split: SplitName): Required<TaskSource> {
  const source = splits[split];
  if (source === undefined) return { count: 0, id: noTasks(split), random: noTasks(split) };
  const { count } = source;
  return {
    count,
    id: (place) => source.id(place),
    random(random) {
      if (source.random !== undefined) return source.random(random);
      if (count === 'unbounded') throw new Error(`the split ${split} is unbounded, so it needs random()`);
      return source.id(random.integer(0, count));
    },
  };
}

function noTasks(split: SplitName): () => never {
  return () => {
    throw new Error(`there is no split ${split}`);
  };
}
