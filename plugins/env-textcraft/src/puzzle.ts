import { craftingBook } from './crafting-book.js';
import { planCrafting } from './plan-crafting.js';

/** The crafting tree of a goal's shortest plan, with counts but without names. */
function planShape(goal: string): string {
  const { turns, membersOf } = planCrafting(goal, new Map());
  const recipeOf = new Map(turns.flatMap((turn) => ('craft' in turn ? [[turn.craft.output.name, turn.craft]] : [])));
  const shapeOf = (name: string): string => {
    const members = membersOf.get(name);
    if (members !== undefined) return `any of ${members.map((member) => shapeOf(member.name)).join()}`;
    const recipe = recipeOf.get(name);
    if (recipe === undefined) return 'item';
    const parts = recipe.ingredients.map((ingredient) => `${ingredient.count} (${shapeOf(ingredient.name)})`);
    return `${recipe.output.count} from ${parts.sort().join(' and ')}`;
  };
  return shapeOf(goal);
}

let puzzles: ReadonlyMap<string, string> | undefined;

/**
 * The puzzle of a goal, named after the first goal (by code) with the same puzzle: oak boat and acacia boat are one.
 * Two goals are one puzzle if renaming items turns the shortest plan of one into the shortest plan of the other. Goals
 * that are equal including all alternative plans are also one puzzle, so puzzles do not depend on whether a task shows
 * the alternatives.
 */
export function puzzleOf(goal: string): string {
  if (puzzles === undefined) {
    const firstOf = new Map<string, string>();
    const found = new Map<string, string>();
    for (const name of [...craftingBook.recipesOf.keys()].sort()) {
      const shape = planShape(name);
      if (!firstOf.has(shape)) firstOf.set(shape, name);
      found.set(name, firstOf.get(shape) ?? name);
    }
    puzzles = found;
  }
  return puzzles.get(goal) ?? goal;
}
