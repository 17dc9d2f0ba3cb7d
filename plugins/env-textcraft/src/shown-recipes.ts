import { craftingBook, recipesBelow, type CraftingRecipe } from './crafting-book.js';
import type { Options } from './options.js';
import { planCrafting } from './plan-crafting.js';
import type { Task } from './task-list.js';
import { drawFrom, shuffleBy } from './task-random.js';

/** Recipes that the task needs: all below the goal, or only the recipes of the shortest plan. */
export function neededRecipes(goal: string, alternatives: boolean): readonly CraftingRecipe[] {
  if (alternatives) return recipesBelow(goal);
  const { turns } = planCrafting(goal, new Map());
  return [...new Set(turns.flatMap((turn) => ('craft' in turn ? [turn.craft] : [])))];
}

/** Recipes that distract: they use an ingredient of a needed recipe, but are not needed. */
function distractingRecipes(needed: readonly CraftingRecipe[]): readonly CraftingRecipe[] {
  const ingredients = new Set(needed.flatMap((recipe) => recipe.ingredients.map(({ name }) => name)));
  const found = new Set([...ingredients].flatMap((name) => craftingBook.usesOf.get(name) ?? []));
  for (const recipe of needed) found.delete(recipe);
  return [...found];
}

/** The needed recipes and some that distract. Their choice and order depend only on the task's id. */
export function shownRecipes(
  task: Task,
  needed: readonly CraftingRecipe[],
  distractors: Options['distractors'],
): readonly CraftingRecipe[] {
  const draw = drawFrom(`commands of ${task.id}`);
  const drawn = shuffleBy(distractingRecipes(needed), draw).slice(0, distractors);
  return shuffleBy([...needed, ...drawn], draw);
}
