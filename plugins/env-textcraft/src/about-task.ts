import type { TaskFacts } from '@agentgym/cli';

import { planCrafting } from './plan-crafting.js';
import { puzzleOf } from './puzzle.js';
import { readTask } from './task-list.js';

/** Turns of the oracle by goal, cached because planning is slow. */
const turnsOf = new Map<string, number>();

/**
 * Goals that are the same puzzle with other names form a cluster. The labels are crafting depth and the number of
 * oracle turns.
 */
export function aboutTask(id: string): TaskFacts {
  const { goal, depth } = readTask(id);
  const turns = turnsOf.get(goal) ?? planCrafting(goal, new Map()).turns.length;
  turnsOf.set(goal, turns);
  return { cluster: puzzleOf(goal), labels: { depth, turns } };
}
