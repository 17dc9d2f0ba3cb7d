import type { Host } from './host.js';
import type { Json } from './json.js';
import type { Random } from './random.js';

/** A value or a promise of it: environments may be synchronous or not. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Training sees `train`, model selection and stopping rules read `validation`, results are of `test`. */
export type SplitName = 'train' | 'validation' | 'test';

/**
 * The tasks of one split. A task id is a string from which `reset` alone rebuilds the task, the same on every machine and
 * in every process: never dependent on directory order, hash seeds, locale or the clock.
 */
export interface TaskSource {
  /** How many tasks there are; `unbounded` where they are generated. */
  readonly count: number | 'unbounded';
  /** The id of task `index`, 0 <= index < count; any whole number where unbounded. */
  id(index: number): string;
  /** The id of a task drawn at random. */
  random(random: Random): string;
}

/** The three splits, pairwise disjoint by construction. */
export interface TaskSplits {
  readonly train: TaskSource;
  readonly validation: TaskSource;
  readonly test: TaskSource;
  /**
   * The cluster of a task, where tasks stand or fall together (variants of one level): intervals are then bootstrapped over
   * clusters, and no cluster may stand in two splits. Absent where tasks are independent.
   */
  cluster?(task: string): string;
  /** A benchmark whose own splits share clusters says so: results then tell apart whether training shows a task's cluster. */
  readonly sharesClusters?: true;
}

/** What happened in a turn, as facts: no opinion on how much it is worth. */
export interface Facts {
  /** The task is solved. */
  readonly success: boolean;
  /**
   * How much of the task is done, in [0, 1]; never falls within an episode unless the contribution says `progressFalls`. There on every step where
   * the contribution's `facts` name it, as `milestones` are.
   */
  readonly progress?: number;
  /** Subgoals reached so far and how many there are. */
  readonly milestones?: { readonly reached: number; readonly total: number };
  /** The action was not understood or not legal in this state. */
  readonly invalid: boolean;
  /** Whatever else the environment wants on record; JSON, so that it reaches the log. */
  readonly details?: { readonly [key: string]: Json };
}

/** A fact that not every environment has: those that have it declare it. */
export type OptionalFact = 'progress' | 'milestones';

/** What an action brought about. */
export interface StepResult {
  /** What the agent sees next. */
  readonly observation: string;
  /** The environment's native reward of this step, kept on record; a reward scheme decides what is trained on. */
  readonly reward: number;
  /** The task ended, won or lost. A limit that the prompt states is the game's own end: `terminated`, not `truncated`. */
  readonly terminated: boolean;
  /** A cap of the environment that the agent could not know of cut the episode. */
  readonly truncated: boolean;
  readonly facts: Facts;
}

/** The next action of an expert in the environment's present state. */
export type Expert = (random: Random) => Awaitable<string>;

/**
 * One instance of a world: plays one episode at a time, `reset` begins the next. The same task, the same random stream and the
 * same actions give the same bytes, in a fresh process too. An exception from `reset` or `step` makes a *failed* episode,
 * which is recorded and retried; a bad action never throws, it is a fact (`invalid`).
 *
 * @example
 * ```ts
 * // die.ts
 * import type { Environment, Random, StepResult, TaskSource, TaskSplits } from '@agentgym/cli';
 * import type { Options } from './options.js';
 *
 * // Task n shows side n / 3 of the die, and belongs to the split n % 3.
 * export function tasks(_options: Options): TaskSplits {
 *   const every = (remainder: number): TaskSource => ({
 *     count: 'unbounded',
 *     id: (index) => String(3 * index + remainder),
 *     random: (random) => String(3 * random.integer(0, 1_000_000) + remainder),
 *   });
 *   return { train: every(0), validation: every(1), test: every(2) };
 * }
 *
 * export function create({ sides, reply }: Options): Environment {
 *   let side = 1;
 *   return {
 *     instructions: `Guess the side of a die: a number from 1 to ${sides}.`,
 *     experts: { oracle: () => String(side) },
 *     reset(task: string): string {
 *       if (!/^\d+$/.test(task)) throw new Error(`no such task: ${task}`);
 *       side = 1 + (Math.floor(Number(task) / 3) % sides);
 *       return 'The die is rolled.';
 *     },
 *     step(action: string): StepResult {
 *       const guess = /^\d{1,3}$/.test(action) ? Number(action) : 0;
 *       const success = guess === side;
 *       const invalid = guess < 1 || guess > sides;
 *       const observation = reply === 'side' ? `It shows ${side}.` : 'Thank you.';
 *       return { observation, reward: Number(success), terminated: true, truncated: false, facts: { success, invalid } };
 *     },
 *     sampleAction: (random: Random) => String(random.integer(1, sides + 1)),
 *   };
 * }
 * ```
 */
export interface Environment {
  /** The rules, given to a policy as its system prompt; empty where the first observation says all. */
  readonly instructions: string;
  /** Begins the task and gives its first observation. Throws on an id that is none of this environment's. */
  reset(task: string, context: { readonly random: Random }): Awaitable<string>;
  /** Plays one action, any string whatever. */
  step(action: string): Awaitable<StepResult>;
  /** An action at random, as the random baseline plays; it need not be legal, but should be well formed. */
  sampleAction(random: Random): string;
  /** `oracle` plays best or nearly so; `demonstrator` gives the demonstrations; others by name. Each reads the present state. */
  readonly experts?: { readonly [name: string]: Expert };
  /** The actions that are legal now, where they can be listed. */
  admissible?(): readonly string[];
  /** A string equal for two states exactly if no future can tell them apart. */
  stateKey?(): string;
  /** The whole state as JSON, and back. */
  snapshot?(): Json;
  restore?(state: Json): void;
  /** Frees what the instance holds; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/**
 * What the module of an environment contribution exports. Functions that take options are properties here and in the other modules, because
 * TypeScript compares the parameters of methods loosely: a `create` that wants an option that is not declared would pass.
 */
export interface EnvironmentModule<Options> {
  readonly tasks: (options: Options) => TaskSplits;
  readonly create: (options: Options, host: Host) => Awaitable<Environment>;
}
