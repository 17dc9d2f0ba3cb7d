import type { Random, SplitName } from '@agentgym/cli';
import { eachSplit, splitOfDigest, type TaskList } from '@agentgym/world-kit';

/** A generated task before it is known to belong to a split: a setting's game for a seed. */
export interface SeededTasks {
  /** The beginning of all ids of a split: `w2-o3-q4/`. The seed follows. */
  prefix(split: SplitName): string;
  /** The cluster of a task; empty if its seed gives no game. */
  clusterOf(id: string): string;
}

/** Seeds go up to this number: TextWorld's generator takes 32 bits. */
export const largestSeed = 2 ** 32 - 1;

/** Seeds of one place. */
const block = 64;
/** Seeds that are tried for one task. A setting with few different games may not have one of a split in its block. */
const attempts = 8 * block;
/** From a block to the next one that is tried; places as far away are in nobody's list. */
const blockStride = (largestSeed + 1) / 8;

/**
 * Splits by structure. Each place has a block of seeds of its own, and its task is the first of them whose cluster
 * belongs to the split, so ids need no list and no order. If none does, blocks far away are searched.
 */
export function listByStructure(tasks: SeededTasks): Readonly<Record<SplitName, TaskList>> {
  return eachSplit((split) => {
    const find = (first: number, next: (attempt: number) => number): string => {
      for (let attempt = 0, seed = first; attempt < attempts; attempt += 1, seed = next(attempt)) {
        const id = `${tasks.prefix(split)}${seed}`;
        const cluster = tasks.clusterOf(id);
        if (cluster !== '' && splitOfDigest(cluster) === split) return id;
      }
      throw new Error(
        `none of ${attempts} games like ${tasks.prefix(split)}${first} belongs to the split ${split}: there are too few ` +
          'different quests and maps to hold some out. Use splits: seeds, or a larger world.',
      );
    };
    return {
      count: 'unbounded',
      id: (place) => {
        const first = (place * block) % (largestSeed + 1);
        return find(first, (attempt) => {
          const elsewhere = Math.floor(attempt / block) * blockStride;
          return (first + elsewhere + (attempt % block)) % (largestSeed + 1);
        });
      },
      random: (random: Random) => {
        const draw = () => random.integer(0, largestSeed);
        return find(draw(), draw);
      },
    };
  });
}

/** Seeds of a split. The Guide tests on the first hundred, and its repository validates from 40001 and trains from 50001. */
const ranges = {
  test: { first: 1, count: 1_000 },
  validation: { first: 40_001, count: 1_000 },
  train: { first: 50_001, count: largestSeed - 50_001 },
} as const satisfies Record<SplitName, { readonly first: number; readonly count: number }>;

/** Splits by seed, as in the Practitioner's Guide and its repository; a puzzle may be in several of them. */
export function listBySeed(prefix: (split: SplitName) => string): Readonly<Record<SplitName, TaskList>> {
  return eachSplit((split) => {
    const { first, count } = ranges[split];
    const id = (place: number) => `${prefix(split)}${first + (place % count)}`;
    return {
      count: split === 'train' ? 'unbounded' : count,
      id,
      random: (random) => id(random.integer(0, count)),
    };
  });
}
