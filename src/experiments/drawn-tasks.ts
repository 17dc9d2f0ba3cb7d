// The tasks that reinforcement learning draws: each is compared with what is held out before it is played, and noted.
import type { ChosenTask } from '../contracts/curriculum.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { HeldOutTasks, TaskClusters } from './used-tasks.js';

/** Reasons why a task may be trained on are fixed when the run begins: nothing is held out later. */
export class DrawnTasks {
  readonly #heldOut: HeldOutTasks;
  readonly #clusters: TaskClusters;
  readonly #note: (tasks: readonly string[]) => void;
  readonly #drawn = new Set<string>();

  /** @param note hears of tasks that are drawn for the first time */
  constructor(heldOut: HeldOutTasks, clusters: TaskClusters, note: (tasks: readonly string[]) => void) {
    this.#heldOut = heldOut;
    this.#clusters = clusters;
    this.#note = note;
  }

  /** All tasks so far. */
  get ids(): ReadonlySet<string> {
    return this.#drawn;
  }

  /** Takes over what an earlier session of the run drew. */
  async resume(tasks: readonly string[]): Promise<void> {
    for (const task of tasks) this.#drawn.add(task);
    await this.#clusters.ask(tasks);
  }

  /** Throws AG_SPLIT_LEAK for a task that is held out, or that belongs to a cluster of held-out tasks. */
  async admit(tasks: readonly ChosenTask[]): Promise<void> {
    const fresh = [...new Set(tasks.map(({ task }) => task))].filter((task) => !this.#drawn.has(task));
    if (fresh.length === 0) return;
    for (const task of fresh) {
      const split = this.#heldOut.tasks.get(task);
      if (split !== undefined) throw leak(`the training task "${task}" is also a task of ${split}`);
    }
    const splits = await this.#heldOut.splitOf?.(fresh);
    for (const [index, split] of splits?.entries() ?? []) {
      if (split !== 'train') {
        throw leak(
          `the training task "${fresh[index]}" is ${split === undefined ? 'in no split' : `of the split ${split}`}`,
        );
      }
    }
    await this.#clusters.ask(fresh);
    for (const task of fresh) {
      const cluster = this.#clusters.of(task);
      const held = this.#heldOut.clusters.get(cluster);
      if (held === undefined) continue;
      throw leak(
        `the training task "${task}" belongs to the cluster "${cluster}", as "${held.task}" of ${held.split} does`,
      );
    }
    for (const task of fresh) this.#drawn.add(task);
    this.#note(fresh);
  }
}

function leak(problem: string): AgentgymError {
  return new AgentgymError('AG_SPLIT_LEAK', { message: `Training stops before it plays a held-out task: ${problem}.` });
}
