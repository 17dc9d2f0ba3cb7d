// A world as the host plays it, wherever it runs: what crosses here is data.
import type { Conclusion, EnvironmentPhase, SplitName, StepResult, TaskFacts } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';

/** The tasks of a split; many are asked for at once. */
export interface TaskList {
  readonly count: number | 'unbounded';
  /** Ids of the tasks at these places. */
  ids(places: readonly number[]): Promise<readonly string[]>;
  /** Ids drawn at random, one by each stream. */
  draw(streams: readonly Random[]): Promise<readonly string[]>;
}

export type Splits = { readonly [name in SplitName]: TaskList };

/** What `reset` gave. */
export interface Begun {
  readonly observation: string;
  /** Length of the observation before it was cut; absent: it is whole. */
  readonly characters?: number;
  /** The rules of this task, where they are not the world's own. */
  readonly instructions?: string;
}

/** What `step` gave. */
export interface Stepped extends StepResult {
  /** Length of the observation before it was cut; absent: it is whole. */
  readonly characters?: number;
}

/**
 * An instance of a world. Plays one episode at a time, from `reset` on. Calls throw what the plugin threw, a
 * DeadlineError, or AG_WORLD_UNAVAILABLE.
 */
export interface InstanceHandle {
  /** It grades episodes that the host cuts. */
  readonly concludes: boolean;
  reset(task: string, random: Random): Promise<Begun>;
  step(action: string): Promise<Stepped>;
  /** The next action of `random` or of an expert. */
  act(player: string, random: Random): Promise<string>;
  /** The actions that are legal now; undefined where the environment does not list them. */
  admissible(): Promise<readonly string[] | undefined>;
  conclude(cause: 'horizon' | 'tokens'): Promise<Conclusion>;
  /** Frees what it holds; never throws. */
  dispose(): Promise<void>;
}

/** Calls of a world so far. Waiting for an instance, or for a thread that is busy elsewhere, is not in it. */
export type CallTimes = {
  readonly [phase in EnvironmentPhase]: { readonly calls: number; readonly milliseconds: number };
};

/** A world that is open. */
export interface WorldHandle {
  /** Who it is, for messages: environment `die` (plugin-die 1.0.0). */
  readonly title: string;
  readonly instructions: string;
  readonly experts: readonly string[];
  readonly maxTurns?: number;
  readonly external: boolean;
  readonly sharesClusters: boolean;
  readonly splits: Splits;
  /** It tells of its tasks: clusters or labels. */
  readonly tells: boolean;
  /** Cluster and labels of tasks. Throws AG_PLUGIN_FAILED if they have changed. */
  about(tasks: readonly string[]): Promise<readonly TaskFacts[]>;
  create(): Promise<InstanceHandle>;
  /** What was measured so far. */
  times(): CallTimes;
  /** Frees what instances shared, once they are gone; never throws. */
  close(): Promise<void>;
}
