import { isDeepStrictEqual } from 'node:util';

import type { DemonstrationHeader, PlayedEnvironment } from '../demonstrations/demonstration-header.js';
import { allTasks } from '../rollout/task-order.js';
import type { TaskList, WorldHandle } from '../rollout/world-handle.js';
import type { OpenEnvironment } from './open-environment.js';

/** An environment of demonstrations, with all its options. */
export type DemonstratedEnvironment = Pick<PlayedEnvironment, 'name' | 'options'>;

/** What demonstrations of an environment are checked against and written with. */
export interface KnownEnvironment {
  /** The world's rules, which begin its conversations. */
  readonly instructions: string;
  /** Ids of its validation and test tasks, as far as these splits can be listed. */
  readonly heldOut: ReadonlySet<string>;
}

/**
 * The environments in a file of demonstrations that are not the recipe's own. Each is opened once, with the options of
 * the file, and closed when it has told what is needed.
 */
export class OtherEnvironments {
  readonly #known: { readonly environment: DemonstratedEnvironment; readonly told: Promise<KnownEnvironment> }[] = [];

  constructor(private readonly open: (environment: DemonstratedEnvironment) => Promise<OpenEnvironment>) {}

  /** Throws the errors of opening it: its plugin may not be installed, or may not know an option. */
  about({ environment: { name, options } }: DemonstrationHeader): Promise<KnownEnvironment> {
    const found = this.#known.find(({ environment }) => isDeepStrictEqual(environment, { name, options }));
    if (found !== undefined) return found.told;
    const told = this.#ask({ name, options });
    this.#known.push({ environment: { name, options }, told });
    return told;
  }

  async #ask(environment: DemonstratedEnvironment): Promise<KnownEnvironment> {
    const { world, pool } = await this.open(environment);
    try {
      return await knownEnvironment(world);
    } finally {
      await pool.dispose();
    }
  }
}

/** Asks an open world. */
export async function knownEnvironment({ instructions, splits }: WorldHandle): Promise<KnownEnvironment> {
  const held = [splits.validation, splits.test].filter(isListed);
  const ids = await Promise.all(held.map(allTasks));
  return { instructions, heldOut: new Set(ids.flat()) };
}

/** Splits with more tasks are compared only where they are played: the split proof of the run. */
export const longestList = 1_000_000;

/** Whether all tasks of a split are listed. An unbounded split cannot be. */
export function isListed({ count }: TaskList): boolean {
  return count !== 'unbounded' && count <= longestList;
}
