import type { ReportRun } from '../report-data.js';

/**
 * A task of the final evaluation. Success is the mean over the runs that played it, in [0, 1]; null without such a run.
 */
export interface TaskRow {
  readonly task: string;
  readonly before: number | null;
  readonly after: number | null;
  /** After training, over all temperatures. */
  readonly trained: number;
  /** Also before training: it orders tasks that the trained policy never solves. */
  readonly ever: number;
}

/** Runs that were tested on the same tasks. Its name is for readers, and unique. */
export type TaskGroup = ReturnType<typeof taskGroups>[number];

/** The runs with results for each task, by their final tasks: a task of another split or environment is another task. */
export function taskGroups(runs: readonly ReportRun[]) {
  const groups = new Map<string, { split: string; runs: ReportRun[] }>();
  for (const run of runs) {
    if (run.tasks === undefined) continue;
    // Options of the environment can change which tasks it has.
    const key = JSON.stringify([run.finalTasks, [...run.tasks.task].sort()]);
    const group = groups.get(key) ?? { split: run.tasks.split, runs: [] };
    groups.set(key, group);
    group.runs.push(run);
  }
  const all = [...groups.values()];
  return all.map((group) => {
    const isAlone = all.filter(({ split }) => split === group.split).length === 1;
    const [first, ...others] = group.runs.map(({ label }) => label);
    const name = `tasks of ${first}${others.length > 0 ? ` and ${others.length} more` : ''}`;
    return { ...group, name: isAlone ? `${group.split} split` : name };
  });
}

/**
 * Sorts the hardest tasks first; of equally hard ones, those with the most recorded episodes. Flips are judged at the
 * lowest temperature.
 *
 * @param recorded number of recorded episodes of each task
 */
export function taskRows(runs: readonly ReportRun[], recorded: ReadonlyMap<string, number> = new Map()): TaskRow[] {
  const episodes = ({ task }: TaskRow) => recorded.get(task) ?? 0;
  const sums = new Map<string, { before: Sum; after: Sum; trained: Sum; ever: Sum }>();
  for (const { tasks } of runs) {
    if (tasks === undefined) continue;
    const lowest = Math.min(...tasks.played.map(({ temperature }) => temperature));
    for (const { player, temperature, success } of tasks.played) {
      const isLowest = temperature === lowest;
      for (const [i, value] of success.entries()) {
        const task = tasks.task[i];
        if (value === null || task === undefined) continue;
        const own = sums.get(task) ?? { before: new Sum(), after: new Sum(), trained: new Sum(), ever: new Sum() };
        sums.set(task, own);
        own.ever.add(value);
        if (player === 'policy') own.trained.add(value);
        if (isLowest) (player === 'policy' ? own.after : own.before).add(value);
      }
    }
  }
  return [...sums]
    .map(([task, { before, after, trained, ever }]) => ({
      task,
      before: before.mean,
      after: after.mean,
      trained: trained.mean ?? 0,
      ever: ever.mean ?? 0,
    }))
    .sort((a, b) => a.trained - b.trained || a.ever - b.ever || episodes(b) - episodes(a));
}

/** `won`: solved more often after training than before; `lost`: less often. */
export function flipOf({ before, after }: TaskRow): 'won' | 'lost' | undefined {
  if (before === null || after === null || before === after) return undefined;
  return after > before ? 'won' : 'lost';
}

class Sum {
  #total = 0;
  #count = 0;

  add(value: number): void {
    this.#total += value;
    this.#count += 1;
  }

  get mean(): number | null {
    return this.#count === 0 ? null : this.#total / this.#count;
  }
}
