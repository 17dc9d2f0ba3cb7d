import type { RecipeInput } from './recipe-schema.js';

/** Gives a recipe in TypeScript its type: `export default defineRecipe({ ... })`. */
export function defineRecipe(recipe: RecipeInput): RecipeInput {
  return recipe;
}
