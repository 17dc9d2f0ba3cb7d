import type { Facts } from './facts.js';
import type { EnvironmentHost } from './host.js';
import type { Json } from './json.js';
import type { Random } from './random.js';

/** A value or a promise of it: environments may be synchronous or not. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Training sees `train`, model selection and stopping rules read `validation`, results are of `test`. */
export type SplitName = 'train' | 'validation' | 'test';

/** What every call into a world comes with. */
export interface Call {
  /** Aborted when the time of the call is up, or when the user interrupts. */
  readonly signal: AbortSignal;
}

/** A call that may draw random numbers. */
export interface Draw extends Call {
  /** A stream of this call alone, keyed by episode and turn. Nobody else draws from it. */
  readonly random: Random;
}

/**
 * The tasks of one split. A task id is a string from which `reset` alone rebuilds the task, the same on every machine
 * and in every process: never dependent on directory order, hash seeds, locale or the clock.
 */
export interface TaskSource {
  /** How many tasks there are; `unbounded` where they are generated. */
  readonly count: number | 'unbounded';
  /**
   * The id of the task at `place`, 0 <= place < count; any whole number where unbounded. The host asks for many at
   * once.
   */
  id(place: number): Awaitable<string>;
  /** The id of a task drawn at random. */
  random(random: Random): Awaitable<string>;
}

/** What a world tells about a task, beside playing it. Always the same of the same task. */
export interface TaskFacts {
  /**
   * Tasks of one cluster stand or fall together: variants of one level, one puzzle up to names. Intervals are
   * bootstrapped over clusters, and no cluster may stand in two splits unless the world says `sharesClusters`. Absent
   * where the task is independent of all others.
   */
  readonly cluster?: string;
  /** What results are told apart by: the type of the task, its difficulty, the number of hops. By axis. */
  readonly labels?: { readonly [axis: string]: string | number };
}

/** How a task begins. */
export interface Start {
  readonly observation: string;
  /** The rules of this task, in the place of the world's `instructions`. */
  readonly instructions?: string;
}

/** What an action brought about. */
export interface StepResult {
  /** What the agent sees next. The host cuts what is longer than `observationCharacters`, with a mark. */
  readonly observation: string;
  /** The environment's native reward of this step, kept on record; a reward scheme decides what is trained on. */
  readonly reward: number;
  /**
   * The task ended, won or lost. A limit that the prompt states is the game's own end: `terminated`, not `truncated`.
   */
  readonly terminated: boolean;
  /** A cap of the environment that the agent could not know of cut the episode. */
  readonly truncated: boolean;
  readonly facts: Facts;
}

/** What an episode that the host cut comes to: its last turn gets this reward and these facts. */
export type Conclusion = Pick<StepResult, 'reward' | 'facts'>;

/**
 * One instance of a world: plays one episode at a time, `reset` begins the next. The same task, the same random stream
 * and the same actions give the same bytes, in a fresh process too, whatever else is played meanwhile. What the host
 * gets is checked as data: JSON and finite numbers.
 *
 * An exception makes a *failed* episode, which is recorded and played again; a bad action never throws, it is a fact
 * (`invalid`). An Error whose
 * `code` is `UNAVAILABLE` says that the world itself is down: then nothing more is tried, and the run ends, to be
 * resumed later.
 */
export interface Environment {
  /**
   * Begins the task and gives its first observation. The stream may be kept for the episode. Throws on an id that is
   * none of this world's.
   */
  reset(task: string, call: Draw): Awaitable<string | Start>;
  /** Plays one action, any string whatever. */
  step(action: string, call: Call): Awaitable<StepResult>;
  /**
   * The next action of a player in the present state, which it does not change. `random`, the random baseline, is there
   * always; its actions need not be legal, but should be well formed. The others are the world's `experts`.
   */
  act(player: string, call: Draw): Awaitable<string>;
  /**
   * The host cut the episode by its horizon or its tokens: grades what stands (tests, a page, a patch). Absent: the
   * last step's result stands.
   */
  conclude?(cause: 'horizon' | 'tokens', call: Call): Awaitable<Conclusion>;
  /** The actions that are legal now, where they can be listed. */
  admissible?(): Awaitable<readonly string[]>;
  /** A string equal for two states exactly if no future can tell them apart. */
  stateKey?(): Awaitable<string>;
  /** The whole state as JSON, and back. */
  snapshot?(): Awaitable<Json>;
  restore?(state: Json): Awaitable<void>;
  /** Frees what the instance holds, in the middle of a call too; safe to call twice. */
  dispose?(): Awaitable<void>;
}

/**
 * What all instances of one environment with the same options share: a compiled game, a pool of processes, a
 * connection. It is opened once in every thread that plays it. Only results of `reset`, `step` and `conclude` reach an
 * agent, and what instances share must not show there.
 *
 * @example
 * ```ts
 * // die.ts
 * import type { StepResult, TaskSource, World } from '@agentgym/cli';
 * import type { Options } from './options.js';
 *
 * // Task n shows side n / 3 of the die, and belongs to the split n % 3.
 * const every = (remainder: number): TaskSource => ({
 *   count: 'unbounded',
 *   id: (place) => String(3 * place + remainder),
 *   random: (random) => String(3 * random.integer(0, 1_000_000) + remainder),
 * });
 *
 * export function open({ sides, reply }: Options): World {
 *   return {
 *     instructions: `Guess the side of a die: a number from 1 to ${sides}.`,
 *     splits: { train: every(0), validation: every(1), test: every(2) },
 *     experts: ['oracle'],
 *     create() {
 *       let side = 1;
 *       return {
 *         reset(task) {
 *           if (!/^\d+$/.test(task)) throw new Error(`no such task: ${task}`);
 *           side = 1 + (Math.floor(Number(task) / 3) % sides);
 *           return 'The die is rolled.';
 *         },
 *         step(action): StepResult {
 *           const guess = /^\d{1,3}$/.test(action) ? Number(action) : 0;
 *           const success = guess === side;
 *           const invalid = guess < 1 || guess > sides;
 *           const observation = reply === 'side' ? `It shows ${side}.` : 'Thank you.';
 *           return { observation, reward: Number(success), terminated: true, truncated: false, facts: { success, invalid } };
 *         },
 *         act: (player, { random }) => String(player === 'oracle' ? side : random.integer(1, sides + 1)),
 *       };
 *     },
 *   };
 * }
 * ```
 */
export interface World {
  /** The rules, given to a policy as its system prompt; empty where the first observation says all. */
  readonly instructions: string;
  /** Pairwise disjoint by construction. */
  readonly splits: { readonly [name in SplitName]: TaskSource };
  /** Cluster and labels of a task, where there are any. */
  about?(task: string): Awaitable<TaskFacts>;
  /**
   * Players of `act` beside `random`: `oracle` plays best or nearly so; `demonstrator` gives the demonstrations; others
   * by name.
   */
  readonly experts?: readonly string[];
  /** Turns an episode may need, where the environment has a natural cap. */
  readonly maxTurns?: number;
  /**
   * The same actions may be answered otherwise another time: a live server, a clock. Runs of it are not exactly
   * repeatable, and say so.
   */
  readonly external?: boolean;
  /**
   * Its splits share clusters, as some published benchmarks do: results are then told apart by tasks seen in training
   * and unseen.
   */
  readonly sharesClusters?: boolean;
  /** A new instance. */
  create(call: Call): Awaitable<Environment>;
  /** Frees what the instances shared, once they are gone; safe to call twice. */
  close?(): Awaitable<void>;
}

/** Calls of a world whose time is limited and measured. */
export type EnvironmentPhase = 'open' | 'create' | 'reset' | 'step' | 'act' | 'conclude' | 'dispose' | 'close';

/** How an environment wants to be played. A recipe may say otherwise under `environment`. */
export interface EnvironmentNeeds {
  /**
   * `worker`: in threads of its own, where a call that blocks or hangs harms nobody; costs 5 to 40 microseconds a call.
   * Absent: `main`.
   */
  readonly thread?: 'main' | 'worker';
  /** Most instances at once; absent: as many as episodes are played side by side. */
  readonly instances?: number;
  /** UTF-16 units after which an observation is cut; absent: 16384. */
  readonly observationCharacters?: number;
  /** Longest time that a call may take, by phase; absent: the recipe's `rollout.deadlineSeconds`. */
  readonly seconds?: { readonly [phase in EnvironmentPhase]?: number };
}

/**
 * What the module of an environment contribution exports. Functions that take options are properties here and in the
 * other modules, because TypeScript compares the parameters of methods loosely: an `open` that wants an option that is
 * not declared would pass.
 */
export interface EnvironmentModule<Options> {
  readonly open: (options: Options, host: EnvironmentHost) => Awaitable<World>;
}
