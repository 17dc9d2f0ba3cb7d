import { craftingBook } from './crafting-book.js';

/** Numbers of the shapes met so far, by name and by the text of the shape. */
const shapeByName = new Map<string, number>();
const shapes = new Map<string, number>();

/** The shape of a recipe tree: counts and alternatives, without names. Two items have one shape if renaming makes one of the other. */
function shapeOf(name: string): number {
  const known = shapeByName.get(name);
  if (known !== undefined) return known;
  const members = craftingBook.membersOf.get(name)?.map(shapeOf);
  const recipes = (craftingBook.recipesOf.get(name) ?? []).map(({ output, ingredients }) => {
    const parts = ingredients.map((ingredient) => `${ingredient.count}*${shapeOf(ingredient.name)}`);
    return `${output.count}:${parts.sort().join('+')}`;
  });
  const text = members === undefined ? recipes.sort().join('|') : `any of ${members.sort((a, b) => a - b).join()}`;
  const shape = shapes.get(text) ?? shapes.size;
  shapes.set(text, shape);
  shapeByName.set(name, shape);
  return shape;
}

let puzzles: ReadonlyMap<string, string> | undefined;

/** The puzzle behind a goal, named after the first goal (by code) that is the same puzzle: oak boat and acacia boat are one. */
export function puzzleOf(goal: string): string {
  if (puzzles === undefined) {
    const firstOf = new Map<number, string>();
    for (const name of [...craftingBook.recipesOf.keys()].sort()) {
      if (!firstOf.has(shapeOf(name))) firstOf.set(shapeOf(name), name);
    }
    puzzles = new Map([...craftingBook.recipesOf.keys()].map((name) => [name, firstOf.get(shapeOf(name)) ?? name]));
  }
  return puzzles.get(goal) ?? goal;
}
