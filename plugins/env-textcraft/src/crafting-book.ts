import { generalIngredients, recipeTexts, unusedItems } from './data/recipes.js';

/** An item and its count. The name of an ingredient may be general (`planks`). */
export interface Amount {
  readonly name: string;
  readonly count: number;
}

export interface CraftingRecipe {
  readonly output: Amount;
  readonly ingredients: readonly Amount[];
}

/** Everything that the agent can craft or get, by the names that it reads (`oak planks`). */
export interface CraftingBook {
  readonly recipes: readonly CraftingRecipe[];
  /** Recipes by the item they make. Items that the agent can only get have no entry. */
  readonly recipesOf: ReadonlyMap<string, readonly CraftingRecipe[]>;
  /** Recipes by the ingredient they name. */
  readonly usesOf: ReadonlyMap<string, readonly CraftingRecipe[]>;
  /** Items of a general ingredient. */
  readonly membersOf: ReadonlyMap<string, readonly string[]>;
  /** General ingredients that an item can replace. */
  readonly generalsOf: ReadonlyMap<string, readonly string[]>;
  /** Every item, without general ingredients. */
  readonly items: ReadonlySet<string>;
  /** Crafting depth: 0 for items without a recipe, else 1 more than the deepest ingredient of the shallowest recipe. */
  readonly depthOf: ReadonlyMap<string, number>;
  /**
   * Position in an order in which every item comes after the ingredients of all its recipes. A general ingredient comes
   * after its items.
   */
  readonly rankOf: ReadonlyMap<string, number>;
}

function parseAmount(text: string): Amount {
  const space = text.indexOf(' ');
  return { name: text.slice(space + 1), count: Number(text.slice(0, space)) };
}

function parseRecipe(text: string): CraftingRecipe {
  const [output = '', ingredients = ''] = text.slice('craft '.length).split(' using ');
  return { output: parseAmount(output), ingredients: ingredients.split(', ').map(parseAmount) };
}

function groupBy<T>(values: readonly T[], keysOf: (value: T) => readonly string[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    for (const key of keysOf(value)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [value]);
      else group.push(value);
    }
  }
  return groups;
}

/**
 * Computes the value of every name, from the bottom up. `general` combines the values of an ingredient's members,
 * `craft` the values of an item's recipes.
 */
function climb(
  names: Iterable<string>,
  book: Pick<CraftingBook, 'recipesOf' | 'membersOf'>,
  craft: (ofEachRecipe: readonly number[]) => number,
  general: (ofEachMember: readonly number[]) => number,
): Map<string, number> {
  const values = new Map<string, number>();
  const valueOf = (name: string): number => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const recipes = book.recipesOf.get(name);
    const members = book.membersOf.get(name);
    let value = 0;
    if (members !== undefined) value = general(members.map(valueOf));
    else if (recipes !== undefined) {
      value = craft(
        recipes.map(({ ingredients }) => 1 + Math.max(...ingredients.map((ingredient) => valueOf(ingredient.name)))),
      );
    }
    values.set(name, value);
    return value;
  };
  for (const name of names) valueOf(name);
  return values;
}

function buildBook(): CraftingBook {
  const recipes = recipeTexts.map(parseRecipe);
  const recipesOf = groupBy(recipes, ({ output }) => [output.name]);
  const usesOf = groupBy(recipes, ({ ingredients }) => ingredients.map(({ name }) => name));
  const membersOf = new Map(Object.entries(generalIngredients));
  const generalsOf = new Map<string, string[]>();
  for (const [general, members] of membersOf) {
    for (const member of members) generalsOf.set(member, [...(generalsOf.get(member) ?? []), general]);
  }
  const items = new Set([...recipesOf.keys(), ...usesOf.keys(), ...unusedItems].filter((name) => !membersOf.has(name)));
  const names = [...items, ...membersOf.keys()];
  const tree = { recipesOf, membersOf };
  const least = (values: readonly number[]) => Math.min(...values);
  const most = (values: readonly number[]) => Math.max(...values);
  return {
    recipes,
    recipesOf,
    usesOf,
    membersOf,
    generalsOf,
    items,
    depthOf: climb(names, tree, least, least),
    rankOf: climb(names, tree, most, (values) => most(values) + 0.5),
  };
}

/** The recipes of Minecraft Java 1.16 as the original reads them. */
export const craftingBook: CraftingBook = buildBook();

/** The items that can serve as an ingredient: the item itself, or the items of a general ingredient. */
export function itemsFor(name: string): readonly string[] {
  return craftingBook.membersOf.get(name) ?? [name];
}

/** Every recipe below an item, each once, from the top. */
export function recipesBelow(item: string): CraftingRecipe[] {
  const found = new Set<CraftingRecipe>();
  const seen = new Set<string>();
  const walk = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const possible of itemsFor(name)) {
      for (const recipe of craftingBook.recipesOf.get(possible) ?? []) {
        found.add(recipe);
        for (const ingredient of recipe.ingredients) walk(ingredient.name);
      }
    }
  };
  walk(item);
  return [...found];
}
