import { expect, it } from 'vitest';

import { craftingBook, type CraftingRecipe } from './crafting-book.js';
import { planCrafting } from './plan-crafting.js';
import { puzzleOf } from './puzzle.js';

const goals = [...craftingBook.recipesOf.keys()].sort();

/** The shortest plan of a goal: recipes by the item they make, items by the general ingredient that they replace. */
function planOf(goal: string): {
  recipes: Map<string, CraftingRecipe>;
  members: ReadonlyMap<string, readonly string[]>;
} {
  const { turns, membersOf } = planCrafting(goal, new Map());
  const recipes = turns.flatMap((turn) => ('craft' in turn ? [[turn.craft.output.name, turn.craft] as const] : []));
  return {
    recipes: new Map(recipes),
    members: new Map([...membersOf].map(([name, amounts]) => [name, amounts.map((amount) => amount.name)])),
  };
}

const plans = new Map(goals.map((goal) => [goal, planOf(goal)]));

/**
 * Whether one renaming of all items turns one plan into the other. Slow, because it tries every order of ingredients.
 */
function isRenamed(one: string, other: string): boolean {
  const [left, right] = [plans.get(one)!, plans.get(other)!];
  const match = (pairs: readonly (readonly [string, string])[], renaming: ReadonlyMap<string, string>): boolean => {
    const [first, ...rest] = pairs;
    if (first === undefined) return new Set(renaming.values()).size === renaming.size;
    const [name, becomes] = first;
    if (renaming.has(name)) return renaming.get(name) === becomes && match(rest, renaming);
    const extended = new Map(renaming).set(name, becomes);
    const [members, otherMembers] = [left.members.get(name), right.members.get(becomes)];
    if (members !== undefined || otherMembers !== undefined) {
      if (members?.length !== 1 || otherMembers?.length !== 1) return false;
      return match([[members[0]!, otherMembers[0]!], ...rest], extended);
    }
    const [recipe, otherRecipe] = [left.recipes.get(name), right.recipes.get(becomes)];
    if (recipe === undefined || otherRecipe === undefined) return recipe === otherRecipe && match(rest, extended);
    if (recipe.output.count !== otherRecipe.output.count) return false;
    const pair = (
      ingredients: CraftingRecipe['ingredients'],
      others: CraftingRecipe['ingredients'],
      paired: readonly (readonly [string, string])[],
    ): boolean => {
      const [ingredient, ...left] = ingredients;
      if (ingredient === undefined) return others.length === 0 && match([...paired, ...rest], extended);
      return others.some(
        (candidate, at) =>
          candidate.count === ingredient.count &&
          pair(left, others.toSpliced(at, 1), [...paired, [ingredient.name, candidate.name]]),
      );
    };
    return pair(recipe.ingredients, otherRecipe.ingredients, []);
  };
  return match([[one, other]], new Map());
}

it('is the same for two goals exactly where a renaming of the items makes one shortest plan of the other', () => {
  const first = new Map<string, string>();
  for (const goal of goals) {
    const puzzle = puzzleOf(goal);
    if (!first.has(puzzle)) {
      expect([...first.values()].filter((other) => isRenamed(other, goal))).toEqual([]);
      first.set(puzzle, goal);
    }
    expect(isRenamed(first.get(puzzle)!, goal), `${goal} and ${puzzle}`).toBe(true);
    // The first goal by code gives the puzzle its name.
    expect(first.get(puzzle)).toBe(puzzle);
  }
  expect(first.size).toBe(232);
});

it('is the same where the whole tree is, with every other way to the goal', () => {
  const shapeOf = (name: string): string => {
    const members = craftingBook.membersOf.get(name);
    if (members !== undefined) return `any of ${members.map(shapeOf).sort().join()}`;
    const recipes = (craftingBook.recipesOf.get(name) ?? []).map(({ output, ingredients }) => {
      const parts = ingredients.map((ingredient) => `${ingredient.count} (${shapeOf(ingredient.name)})`);
      return `${output.count} from ${parts.sort().join(' and ')}`;
    });
    return recipes.sort().join(' or ');
  };
  const puzzles = new Map<string, Set<string>>();
  for (const goal of goals) {
    const shape = shapeOf(goal);
    puzzles.set(shape, (puzzles.get(shape) ?? new Set()).add(puzzleOf(goal)));
  }
  expect(puzzles.size).toBe(316);
  expect([...puzzles.values()].every((those) => those.size === 1)).toBe(true);
});

it('is one of one depth and of one length', () => {
  for (const goal of goals) {
    const puzzle = puzzleOf(goal);
    expect(craftingBook.depthOf.get(goal)).toBe(craftingBook.depthOf.get(puzzle));
    expect(planCrafting(goal, new Map()).turns).toHaveLength(planCrafting(puzzle, new Map()).turns.length);
  }
});
