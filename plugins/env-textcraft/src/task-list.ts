import type { SplitName } from '@agentgym/cli';
import { eachSplit, listTasks, unknownTask, type TaskList } from '@agentgym/world-kit';

import { craftingBook } from './crafting-book.js';
import { dealGoals } from './deal-goals.js';
import type { Options } from './options.js';
import { planCrafting } from './plan-crafting.js';
import { drawFrom, shuffleBy } from './task-random.js';

/** A task: its goal, and for training tasks also its variant. */
export interface Task {
  readonly id: string;
  readonly goal: string;
  readonly depth: number;
  /** Whether items have swapped names. */
  readonly renamed: boolean;
}

/** `depth-2/oak-boat` */
function idOf(goal: string): string {
  return `depth-${craftingBook.depthOf.get(goal)}/${goal.replaceAll(' ', '-')}`;
}

/** Goals of each split, in an order drawn once from a fixed text. */
function goalsInOrder(): Record<SplitName, readonly string[]> {
  const goals = dealGoals();
  return eachSplit((split) => shuffleBy(goals[split], drawFrom(`order of ${split}`)));
}

const goalsOf = goalsInOrder();
const goalById = new Map(Object.values(goalsOf).flatMap((goals) => goals.map((goal) => [idOf(goal), goal] as const)));
const trainingIds = new Set(goalsOf.train.map(idOf));

/**
 * Reads a task id: `depth-2/oak-boat`; `depth-2/oak-boat#7`, the same with other distractors in another order; and
 * `depth-2/oak-boat#renamed-7`, with permuted names. Throws for unknown goals, and for variants of held-out goals.
 */
export function readTask(id: string): Task {
  const match = /^([a-z0-9/-]{1,80})(?:#(renamed-)?(?:0|[1-9]\d{0,15}))?$/.exec(id);
  const base = match?.[1] ?? '';
  const goal = goalById.get(base);
  if (goal === undefined) throw unknownTask(id, 'a task of TextCraft', 'depth-2/oak-boat');
  if (base !== id && !trainingIds.has(base)) throw new Error(`${base} is held out and has no variants such as ${id}`);
  return { id, goal, depth: craftingBook.depthOf.get(goal) ?? 0, renamed: match?.[2] !== undefined };
}

/** Repeats the goals without end, each time as another variant. A share of the variants has swapped names. */
function unbounded(ids: readonly string[], renamed: number): TaskList {
  const id = (index: number): string => {
    const [base, round] = [ids[index % ids.length] ?? '', Math.floor(index / ids.length)];
    if (drawFrom(`variant ${round} of ${base}`)(1_000_000) < renamed * 1_000_000) return `${base}#renamed-${round}`;
    return round === 0 ? base : `${base}#${round}`;
  };
  return { count: 'unbounded', id, random: (random) => id(random.integer(0, 2 ** 40)) };
}

/** The splits with the goals that these options select. Throws if no training goal is left. */
export function listGoals({ depths, longestPlan, renamed }: Options): Readonly<Record<SplitName, TaskList>> {
  const wanted = (goal: string) =>
    depths.includes(craftingBook.depthOf.get(goal) ?? 0) &&
    (longestPlan === null || planCrafting(goal, new Map()).turns.length <= longestPlan);
  const ids = (split: SplitName) => goalsOf[split].filter(wanted).map(idOf);
  const train = ids('train');
  if (train.length === 0)
    throw new Error(`no goal of depth ${depths.join(', ')} can be reached in ${longestPlan} turns: raise longestPlan`);
  return {
    train: renamed > 0 ? unbounded(train, renamed) : listTasks(train, String),
    validation: listTasks(ids('validation'), String),
    test: listTasks(ids('test'), String),
  };
}
