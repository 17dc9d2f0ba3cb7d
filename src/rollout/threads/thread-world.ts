// A world in its own threads. If a call hangs or ends its thread, only its own episode fails. The thread is replaced,
// and
// its other episodes are replayed to their previous state, with the same bytes.
import type { Conclusion, SplitName, StepResult, TaskFacts } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import type { Material } from '../../contracts/requirement.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { withinDeadline } from '../../errors/within-deadline.js';
import { randomKey } from '../../random/create-random.js';
import { EpisodeLost } from '../episode-lost.js';
import type { Begun, CallTimes, InstanceHandle, Splits, Stepped, TaskList, WorldHandle } from '../world-handle.js';
import { ThreadDeath } from './thread-death.js';
import { type InstanceFacts, timesOfArrays, type ThreadMethod, type WorldDescription } from './thread-messages.js';
import { type ThreadSettings, WorldThread } from './world-thread.js';

export interface ThreadWorldSettings extends ThreadSettings {
  /** Its name for messages. */
  readonly title: string;
  /** Number of threads. */
  readonly workers: number;
  /** Aborts every call. */
  readonly signal: AbortSignal;
}

/** The world is given up if more threads than this end in a row for unknown reasons. */
const mostMysteries = 3;

/**
 * Opens a world in threads: the first thread now, the others when they need instances.
 *
 * @throws the errors of `open`, DeadlineError, AG_WORLD_UNAVAILABLE; then the thread is ended
 */
export async function openThreadWorld(settings: ThreadWorldSettings): Promise<WorldHandle> {
  const threads = new Threads(settings);
  try {
    const { description } = await threads.get(0);
    return new ThreadWorld(threads, description);
  } catch (error) {
    await threads.close();
    throw error instanceof ThreadDeath ? error.failure : error;
  }
}

interface OpenThread {
  readonly thread: WorldThread;
  readonly description: WorldDescription;
}

/** The threads of a world; a dead thread is replaced. */
class Threads {
  readonly #settings: ThreadWorldSettings;
  readonly #threads: (Promise<OpenThread> | undefined)[];
  readonly #all = new Set<WorldThread>();
  #mysteries = 0;
  #closed = false;
  readonly #abort = (): void => this.#all.forEach((thread) => thread.abort());

  constructor(settings: ThreadWorldSettings) {
    this.#settings = settings;
    this.#threads = Array.from({ length: settings.workers }, () => undefined);
    settings.signal.addEventListener('abort', this.#abort, { once: true });
  }

  get title(): string {
    return this.#settings.title;
  }

  /** Whether nothing is played any more. */
  get over(): boolean {
    return this.#closed || this.#settings.signal.aborted;
  }

  times(): CallTimes {
    return timesOfArrays([...this.#all].map(({ times }) => times));
  }

  /** The thread at a place; opens it if necessary. */
  get(place: number): Promise<OpenThread> {
    const there = this.#threads[place];
    if (there !== undefined) return there;
    const opening = this.#open();
    this.#threads[place] = opening;
    // If opening failed, the next caller tries again.
    opening.catch(() => (this.#threads[place] = undefined));
    return opening;
  }

  /** The thread with the fewest instances. */
  async roomiest(): Promise<WorldThread> {
    const loads = await Promise.all(this.#threads.map(async (thread) => (await thread)?.thread.instances ?? 0));
    const { thread } = await this.get(loads.indexOf(Math.min(...loads)));
    return thread;
  }

  /** Makes room for a replacement of a dead thread. Throws AG_PLUGIN_FAILED if too many died for unknown reasons. */
  async bury(dead: WorldThread): Promise<void> {
    for (const [place, thread] of this.#threads.entries()) {
      const opened = await thread?.catch(() => undefined);
      if (opened?.thread !== dead || this.#threads[place] !== thread) continue;
      this.#threads[place] = undefined;
      this.#mysteries = dead.death?.culprit === undefined ? this.#mysteries + 1 : 0;
    }
    if (this.#mysteries <= mostMysteries) return;
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message: `${this.title}: ${dead.death?.message}, outside of a call, ${this.#mysteries} times in a row.`,
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#settings.signal.removeEventListener('abort', this.#abort);
    const { milliseconds } = this.#settings;
    await Promise.all(
      [...this.#all].map(async (thread) => {
        // A thread that does not close in time is ended anyway.
        const closing = () => (thread.death === undefined ? thread.call('close', 0) : undefined);
        await withinDeadline('close', milliseconds.close, closing).catch(() => undefined);
        await thread.end();
      }),
    );
  }

  async #open(): Promise<OpenThread> {
    const thread = new WorldThread(this.#settings);
    this.#all.add(thread);
    if (this.#settings.signal.aborted) thread.abort();
    const description = await thread.call<WorldDescription>('open', 0);
    if (this.#closed) await thread.end();
    return { thread, description };
  }
}

class ThreadWorld implements WorldHandle {
  readonly title: string;
  readonly instructions: string;
  readonly experts: readonly string[];
  readonly maxTurns?: number;
  readonly external: boolean;
  readonly sharesClusters: boolean;
  readonly materials: readonly Material[];
  readonly tells: boolean;
  readonly splitOf?: NonNullable<WorldHandle['splitOf']>;
  readonly splits: Splits;
  readonly #threads: Threads;

  constructor(threads: Threads, { counts, maxTurns, ...description }: WorldDescription) {
    this.#threads = threads;
    this.title = threads.title;
    ({
      instructions: this.instructions,
      experts: this.experts,
      external: this.external,
      sharesClusters: this.sharesClusters,
      materials: this.materials,
      tells: this.tells,
    } = description);
    if (maxTurns !== undefined) this.maxTurns = maxTurns;
    if (description.tellsSplits) this.splitOf = (tasks) => this.#ask('splitOf', tasks);
    const list = (split: SplitName): TaskList => ({
      count: counts[split],
      ids: (places) => this.#ask('ids', split, places),
      draw: (streams) => this.#ask('draw', split, streams.map(randomKey)),
    });
    this.splits = { train: list('train'), validation: list('validation'), test: list('test') };
  }

  about(tasks: readonly string[]): Promise<readonly TaskFacts[]> {
    return this.#ask('about', tasks);
  }

  async create(): Promise<InstanceHandle> {
    const instance = new ThreadInstance(this.#threads, this.external);
    await instance.sit();
    return instance;
  }

  times(): CallTimes {
    return this.#threads.times();
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** Asks the first thread. If the question ends the thread, that failure is the result. */
  async #ask<T>(method: ThreadMethod, ...values: readonly unknown[]): Promise<T> {
    for (;;) {
      const { thread } = await this.#threads.get(0);
      try {
        return await thread.call<T>(method, 0, ...values);
      } catch (error) {
        if (!(error instanceof ThreadDeath)) throw error;
        await this.#threads.bury(thread);
        if (error.culprit === 0) throw error.failure;
      }
    }
  }
}

/** The place of an instance. */
interface Seat {
  readonly thread: WorldThread;
  readonly instance: number;
}

/** The history of the current episode, from which it can be replayed. */
interface Played {
  readonly task: string;
  readonly key: string;
  readonly states: boolean;
  readonly actions: string[];
  /** The results of `reset` and of each action. */
  readonly answers: (Begun | Stepped)[];
}

class ThreadInstance implements InstanceHandle {
  readonly #threads: Threads;
  readonly #external: boolean;
  #seat: Seat | undefined;
  #played: Played | undefined;
  #disposed = false;
  concludes = false;
  tellsStates = false;

  constructor(threads: Threads, external: boolean) {
    this.#threads = threads;
    this.#external = external;
  }

  /** Creates the instance. */
  async sit(): Promise<void> {
    await this.#survive(async () => void (await this.#seated()));
  }

  async reset(task: string, random: Random, states = false): Promise<Begun> {
    const key = randomKey(random);
    this.#played = undefined;
    const begun = await this.#survive(async () => {
      const { thread, instance } = await this.#seated();
      return thread.call<Begun>('reset', instance, task, key, states);
    });
    this.#played = { task, key, states, actions: [], answers: [begun] };
    return begun;
  }

  async step(action: string): Promise<Stepped> {
    const stepped = await this.#call<Stepped>('step', action);
    this.#played?.actions.push(action);
    this.#played?.answers.push(stepped);
    return stepped;
  }

  act(player: string, random: Random): Promise<string> {
    return this.#call('act', player, randomKey(random));
  }

  admissible(): Promise<readonly string[] | undefined> {
    return this.#call('admissible');
  }

  conclude(cause: 'horizon' | 'tokens'): Promise<Conclusion> {
    return this.#call<Pick<StepResult, 'reward' | 'facts'>>('conclude', cause);
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    const seat = this.#seat;
    this.#seat = undefined;
    if (seat === undefined || seat.thread.death !== undefined) return;
    seat.thread.instances -= 1;
    await seat.thread.call('dispose', seat.instance).catch(() => undefined);
  }

  #call<T>(method: ThreadMethod, ...values: readonly unknown[]): Promise<T> {
    return this.#survive(async () => {
      const { thread, instance } = await this.#replayed();
      return thread.call<T>(method, instance, ...values);
    });
  }

  /** Repeats a call if another instance's call ended the thread. If this instance's call did, it fails. */
  async #survive<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ThreadDeath)) throw error;
        const seat = this.#seat;
        this.#seat = undefined;
        if (seat !== undefined) await this.#threads.bury(seat.thread);
        if (seat === undefined || this.#disposed || this.#threads.over) throw error.failure;
        if (error.culprit === seat.instance) throw error.failure;
        if (this.#external && this.#played !== undefined) throw new EpisodeLost(error.message);
      }
    }
  }

  /** The place of the instance; creates the instance there if necessary. */
  async #seated(): Promise<Seat> {
    if (this.#seat !== undefined) {
      if (this.#seat.thread.death !== undefined) throw this.#seat.thread.death;
      return this.#seat;
    }
    const thread = await this.#threads.roomiest();
    thread.instances += 1;
    const seat = { thread, instance: thread.nameInstance() };
    this.#seat = seat;
    try {
      const facts = await thread.call<InstanceFacts>('create', seat.instance);
      ({ concludes: this.concludes, tellsStates: this.tellsStates } = facts);
    } catch (error) {
      thread.instances -= 1;
      if (!(error instanceof ThreadDeath)) this.#seat = undefined;
      throw error;
    }
    return seat;
  }

  /** The same, with the current episode replayed to its previous state. */
  async #replayed(): Promise<Seat> {
    const before = this.#seat;
    const seat = await this.#seated();
    if (before === seat || this.#played === undefined) return seat;
    const { task, key, states, actions, answers } = this.#played;
    const replay: unknown[] = [await seat.thread.call('reset', seat.instance, task, key, states)];
    for (const action of actions) replay.push(await seat.thread.call('step', seat.instance, action));
    const turn = replay.findIndex((answer, index) => JSON.stringify(answer) !== JSON.stringify(answers[index]));
    if (turn < 0) return seat;
    const where = turn === 0 ? 'reset' : `turn ${turn}`;
    throw new Error(`its thread was replaced, and the same actions got other answers in ${where}`);
  }
}
