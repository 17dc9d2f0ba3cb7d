import type { RecipeInput } from './recipe-schema.js';

/** The keys of a recipe that extends another one: any part of it. null removes an inherited key. */
type Change<T> = T extends readonly unknown[] ? T : T extends object ? { [Key in keyof T]?: Change<T[Key]> | null } : T;

/** A recipe in TypeScript: a whole one, or changes to the recipe that it extends. */
export type RecipeDefinition = RecipeInput | (Change<Omit<RecipeInput, 'extends'>> & { extends: string });

/** Gives a recipe in TypeScript its type: `export default defineRecipe({ ... })`. */
export function defineRecipe<Definition extends RecipeDefinition>(recipe: Definition): Definition {
  return recipe;
}
