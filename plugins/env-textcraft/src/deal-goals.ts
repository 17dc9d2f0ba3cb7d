import type { SplitName } from '@agentgym/cli';
import { eachSplit } from '@agentgym/world-kit';

import { craftingBook } from './crafting-book.js';
import { puzzleOf } from './puzzle.js';
import { drawFrom } from './task-random.js';

/** Shares of the goals of each depth that may be held out. Of all goals these are a fifth and a tenth. */
const heldOut = { test: 0.3, validation: 0.15 } as const;

/**
 * The split of every goal, for all options. Whole puzzles are held out, so no held-out goal is a training goal with
 * other names, or an intermediate product of one, which a player would learn in training. The puzzles of each depth are
 * ordered by a hash of their names. A puzzle goes to test if it fits into the rest of the test share, else to
 * validation if it fits there, else to training.
 */
export function dealGoals(): Readonly<Record<SplitName, readonly string[]>> {
  const goals = [...craftingBook.recipesOf.keys()].sort();
  const splitOf = new Map<string, SplitName>();
  const sizes = sizesOfFreePuzzles(goals);
  for (const depth of [1, 2, 3, 4]) {
    const puzzles = [...sizes]
      .filter(([puzzle]) => craftingBook.depthOf.get(puzzle) === depth)
      .map(([puzzle, size]) => ({ puzzle, size, rank: drawFrom(`split of ${puzzle}`)(2 ** 32) }))
      .sort((a, b) => a.rank - b.rank);
    const total = puzzles.reduce((sum, { size }) => sum + size, 0);
    const left = { test: Math.round(heldOut.test * total), validation: Math.round(heldOut.validation * total) };
    for (const { puzzle, size } of puzzles) {
      const split = (['test', 'validation'] as const).find((name) => size <= left[name]);
      if (split === undefined) continue;
      left[split] -= size;
      splitOf.set(puzzle, split);
    }
  }
  return eachSplit((split) => goals.filter((goal) => (splitOf.get(puzzleOf(goal)) ?? 'train') === split));
}

/** Puzzles in which no goal is an ingredient of a recipe, with the number of their goals. */
function sizesOfFreePuzzles(goals: readonly string[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const goal of goals) sizes.set(puzzleOf(goal), (sizes.get(puzzleOf(goal)) ?? 0) + 1);
  const isIngredient = (goal: string) =>
    [goal, ...(craftingBook.generalsOf.get(goal) ?? [])].some((name) => craftingBook.usesOf.has(name));
  for (const goal of goals.filter(isIngredient)) sizes.delete(puzzleOf(goal));
  return sizes;
}
