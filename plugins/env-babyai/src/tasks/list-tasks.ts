import type { SplitName } from '@agentgym/cli';
import { eachSplit, Recent, splitOfDigest, type TaskBook, type TaskList } from '@agentgym/world-kit';

import type { Options } from '../options.js';
import { chooseLevels, heldOutLevels } from './choose-levels.js';
import { examineTask, readTask, type KnownTask } from './read-task.js';

/** The tasks of a world; those of splits by seeds may have the same starts in several of them. */
interface LevelTasks extends Omit<TaskBook<never>, 'read'> {
  readonly splits: Readonly<Record<SplitName, TaskList>>;
}

/** Each task has so many seeds of its own, and is the first of them that will do. */
const seedsPerTask = 256;
const mostTasks = 2 ** 32;
const keptTasks = 20_000;
/**
 * With `splits: seeds`, a task has one seed, counted from `first`; the first seeds are for tests, as AgentGym's are. Where
 * it gives no task, one of the seeds from `instead` on replaces it.
 */
const seedRanges = {
  test: { first: 0, count: 1000, instead: 2 ** 50 },
  validation: { first: 1000, count: 1000, instead: 2 ** 51 },
  train: { first: 2000, count: mostTasks, instead: 2 ** 52 },
} as const satisfies Record<SplitName, { readonly first: number; readonly count: number; readonly instead: number }>;

export function listTasks(options: Options): LevelTasks {
  const rules = options.compat === 'corrected' ? 'fair' : 'original';
  const known = new Recent<KnownTask | 'endless'>(keptTasks);
  const examine = (id: string) => known.get(id, () => examineTask(readTask(id), rules) ?? 'endless');
  const chosen = chooseLevels(options);
  const held = options.splits === 'levels' ? heldOutLevels(chosen, options) : new Set<string>();
  const seen = chosen.filter((name) => !held.has(name));
  const bySeed = options.splits === 'seeds';

  /** The original has tasks that nobody can solve; they are left out where it is corrected. */
  const willDo = (id: string, split: SplitName): boolean => {
    const task = examine(id);
    if (task === 'endless' || (rules === 'fair' && !task.isSolvable)) return false;
    return bySeed || splitOfDigest(task.facts.cluster ?? '') === split;
  };
  const firstOf = (split: SplitName, name: string, first: number): string => {
    for (let seed = first; seed < first + seedsPerTask; seed += 1) {
      const id = `${name}/${seed}`;
      if (willDo(id, split)) return id;
    }
    throw new Error(`none of ${seedsPerTask} seeds from ${first} on gives a task of ${name} for the split ${split}`);
  };
  const taskOf = (split: SplitName, name: string, number: number): string => {
    if (!bySeed) return firstOf(split, name, number * seedsPerTask);
    const { first, instead } = seedRanges[split];
    const id = `${name}/${first + number}`;
    return willDo(id, split) ? id : firstOf(split, name, instead + number * seedsPerTask);
  };

  /** Levels take turns; of the held-out tasks, half are of new levels. */
  const idAt = (split: SplitName, place: number): string => {
    const news = [...held];
    if (split === 'train' || news.length === 0) return taskOf(split, ...turnOf(seen, place));
    return taskOf(split, ...turnOf(place % 2 === 0 ? news : seen, Math.floor(place / 2)));
  };
  const listed = (split: SplitName): TaskList => {
    const isBounded = bySeed && split !== 'train';
    const count = isBounded ? seedRanges[split].count * seen.length : mostTasks;
    return {
      count: isBounded ? count : 'unbounded',
      id: (place) => idAt(split, place),
      random: (random) => idAt(split, random.integer(0, count)),
    };
  };
  return {
    splits: eachSplit(listed),
    sharesClusters: bySeed,
    about: (id) => {
      const task = examine(id);
      if (task === 'endless') return {};
      if (held.size === 0) return task.facts;
      const level = held.has(readTask(id).level.name) ? 'new' : 'seen';
      return { ...task.facts, labels: { ...task.facts.labels, training: level } };
    },
  };
}

/** The element of a list that is gone through again and again, and the number of the round. */
function turnOf(names: readonly string[], place: number): readonly [name: string, number: number] {
  return [names[place % names.length] as string, Math.floor(place / names.length)];
}
