// The tasks that reinforcement learning draws: each is compared with what is held out before it is played, and noted.
import type { ChosenTask } from '../contracts/curriculum.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { HeldOutTasks, TaskClusters } from './used-tasks.js';

/** What drawn tasks of an environment are compared with. */
export interface DrawnEntry {
  /** The environment's name in a run of several. */
  readonly entry?: string | undefined;
  readonly heldOut: HeldOutTasks;
  readonly clusters: TaskClusters;
}

/** Reasons why a task may be trained on are fixed when the run begins: nothing is held out later. */
export class DrawnTasks {
  readonly #entries: readonly (DrawnEntry & { readonly drawn: Set<string> })[];
  readonly #note: (tasks: readonly string[], entry: string | undefined) => void;

  /** @param note hears of tasks that are drawn for the first time */
  constructor(entries: readonly DrawnEntry[], note: (tasks: readonly string[], entry: string | undefined) => void) {
    this.#entries = entries.map((one) => ({ ...one, drawn: new Set<string>() }));
    this.#note = note;
  }

  /** All tasks so far, of each environment in their order. */
  get ids(): readonly ReadonlySet<string>[] {
    return this.#entries.map(({ drawn }) => drawn);
  }

  /** Takes over what an earlier session of the run drew. */
  async resume(tasks: readonly ChosenTask[]): Promise<void> {
    for (const { entry, clusters, drawn } of this.#entries) {
      const own = tasks.filter((one) => one.entry === entry).map(({ task }) => task);
      for (const task of own) drawn.add(task);
      await clusters.ask(own);
    }
  }

  /** Throws AG_SPLIT_LEAK for a task that is held out, or that belongs to a cluster of held-out tasks. */
  async admit(tasks: readonly ChosenTask[]): Promise<void> {
    const lost = tasks.find(({ entry }) => !this.#entries.some((one) => one.entry === entry));
    if (lost !== undefined) throw unknownEntry(lost, this.#entries);
    for (const one of this.#entries) {
      const own = tasks.filter(({ entry }) => entry === one.entry).map(({ task }) => task);
      const fresh = [...new Set(own)].filter((task) => !one.drawn.has(task));
      if (fresh.length === 0) continue;
      await refuseHeldOut(fresh, one);
      for (const task of fresh) one.drawn.add(task);
      this.#note(fresh, one.entry);
    }
  }
}

async function refuseHeldOut(fresh: readonly string[], { heldOut, clusters }: DrawnEntry): Promise<void> {
  for (const task of fresh) {
    const split = heldOut.tasks.get(task);
    if (split !== undefined) throw leak(`the training task "${task}" is also a task of ${split}`);
  }
  const splits = await heldOut.splitOf?.(fresh);
  for (const [index, split] of splits?.entries() ?? []) {
    if (split !== 'train') {
      throw leak(
        `the training task "${fresh[index]}" is ${split === undefined ? 'in no split' : `of the split ${split}`}`,
      );
    }
  }
  await clusters.ask(fresh);
  for (const task of fresh) {
    const cluster = clusters.of(task);
    const held = heldOut.clusters.get(cluster);
    if (held === undefined) continue;
    throw leak(
      `the training task "${task}" belongs to the cluster "${cluster}", as "${held.task}" of ${held.split} does`,
    );
  }
}

function leak(problem: string): AgentgymError {
  return new AgentgymError('AG_SPLIT_LEAK', { message: `Training stops before it plays a held-out task: ${problem}.` });
}

function unknownEntry({ entry, task }: ChosenTask, entries: readonly DrawnEntry[]): AgentgymError {
  const names = entries.flatMap((one) => one.entry ?? []);
  const known = names.length === 0 ? 'the run has one, without a name' : `they are ${names.join(', ')}`;
  const called = entry === undefined ? 'without an environment' : `of the environment "${entry}"`;
  return new AgentgymError('AG_CURRICULUM', {
    message: `The curriculum handed out the task "${task}" ${called}, which is none of the run's: ${known}.`,
    path: 'curriculum',
  });
}
