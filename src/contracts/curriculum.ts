import type { Awaitable, TaskFacts } from './environment.js';
import type { Host } from './host.js';
import type { JsonObject } from './json.js';

/** A training task that a curriculum hands out. */
export interface ChosenTask {
  /** The entry that it belongs to; absent in a run of one environment. */
  readonly entry?: string;
  /** Its id. */
  readonly task: string;
}

/** The training tasks of one entry. */
export interface TaskPool {
  /** Absent in a run of one environment. */
  readonly entry?: string;
  /** The entry's weight in the recipe, above 0; 1 in a run of one environment. */
  readonly weight: number;
  readonly count: number | 'unbounded';
  /**
   * The ids at `count` places from `first` of an endless uniform order: a bounded pool is shuffled anew in each round, an
   * unbounded one is drawn from at random. The same places give the same ids, also after a resume.
   */
  order(first: number, count: number): Promise<readonly string[]>;
  /** Cluster and labels of tasks; empty objects if the environment tells nothing of them. */
  about(tasks: readonly string[]): Promise<readonly TaskFacts[]>;
}

/** What became of a task that was handed out. */
export interface PlayedTask extends ChosenTask {
  /** Number of completed episodes of its group; 0 if all failed. */
  readonly episodes: number;
  /** How many of them succeeded. */
  readonly successes: number;
}

/**
 * Decides which training tasks come next. A place is the number of a group in a stage, from 0. The task at a place is a
 * function of the place and the state, so that a resumed run plays the same tasks. A step reads the state of its beginning,
 * also for groups that replace others.
 *
 * @example
 * ```ts
 * // hardest.ts
 * import type { Curriculum, JsonObject, TaskPool } from '@agentgym/cli';
 *
 * // Of every two tasks in a row, the one that was solved less often.
 * export function hardest([pool]: readonly [TaskPool, ...TaskPool[]]): Curriculum {
 *   const solved = (state: JsonObject, task: string): number => (state[task] as number | undefined) ?? 0;
 *   return {
 *     initialState: {},
 *     async choose(first, count, state) {
 *       const ids = await pool.order(2 * first, 2 * count);
 *       return Array.from({ length: count }, (_, place) => {
 *         const [one = '', other = ''] = ids.slice(2 * place);
 *         return { task: solved(state, one) <= solved(state, other) ? one : other };
 *       });
 *     },
 *     update: (state, played) => ({
 *       ...state,
 *       ...Object.fromEntries(played.map(({ task, successes }) => [task, successes])),
 *     }),
 *   };
 * }
 * ```
 */
export interface Curriculum {
  /** Only data, which a checkpoint keeps. */
  readonly initialState: JsonObject;
  /** The tasks at `count` places from `first`, one for each. Equal arguments give equal tasks. */
  choose(first: number, count: number, state: JsonObject): Awaitable<readonly ChosenTask[]>;
  /** The state after a step that played these tasks, in the order of their places. Absent: it never changes. */
  update?(state: JsonObject, played: readonly PlayedTask[]): Awaitable<JsonObject>;
  /** Numbers to log after a step, as `curriculum/NAME`. Absent: none. */
  metrics?(state: JsonObject): { readonly [name: string]: number };
}

/** The exports of the module of a curriculum contribution. */
export interface CurriculumModule<Options> {
  /**
   * @param pools one for each entry, in the order of the recipe
   * @throws Error if the options do not fit these pools: its message is shown, and the recipe is refused
   */
  readonly create: (options: Options, host: Host, pools: readonly [TaskPool, ...TaskPool[]]) => Awaitable<Curriculum>;
}
