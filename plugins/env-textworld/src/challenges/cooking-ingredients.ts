// Draws the ingredients of a recipe, and foods that distract from them.
import type { NumpyRandom } from '../generate/numpy-random.js';
import { ChallengeError } from './challenge-error.js';
import type { Preparation } from './cooking-foods.js';
import type { Menu } from './cooking-menu.js';
import type { CookingOptions } from './cooking-options.js';
import { placeFood, placeRandomFoods } from './cooking-store.js';
import type { MadeEntity, WorldMaker } from './world-maker.js';

export interface Ingredient extends Preparation {
  readonly food: MadeEntity;
}

/** How many things the player can carry. */
export function inventoryLimit({ drop, recipe, cut }: CookingOptions): number {
  if (!drop) return 10;
  // With one ingredient there is nothing else to lay down while the knife is needed.
  return recipe === 1 && cut ? 2 : recipe;
}

function drawPreparations(foods: readonly MadeEntity[], menu: Menu, random: NumpyRandom): Ingredient[] {
  return foods.map((food) => {
    const preparations = menu.get(food.name) ?? [];
    if (preparations.length === 0) {
      throw new ChallengeError(
        `With this seed the recipe needs ${food.name}, which cannot be cut. ` +
          'Take another seed, compat corrected, cook, or at most 6 rooms (go).',
      );
    }
    return { food, ...(preparations[random.integer(0, preparations.length)] as Preparation) };
  });
}

/** Puts foods with similar names beside an ingredient: one with its first and one with its last word. */
function placeLookAlikes(world: WorldMaker, ingredient: MadeEntity, menu: Menu, random: NumpyRandom): void {
  const words = ingredient.name.split(' ');
  const holder = ingredient.holder;
  if (words.length < 2 || !holder) return;
  const others = Array.from(menu.keys()).filter((name) => name !== ingredient.name);
  const sameFirst = others.filter((name) => name.startsWith(words[0] as string));
  const sameLast = others.filter((name) => name.endsWith(words.at(-1) as string));
  for (const names of [sameFirst, sameLast]) {
    random.shuffle(names);
    for (const name of names) {
      const existing = world.named(name);
      if (existing && existing.holder !== holder) continue;
      if (!existing) placeFood(world, name, random, holder);
      break;
    }
  }
}

/**
 * Draws ingredients and their preparations, places them and foods that distract from them.
 *
 * @throws ChallengeError if a drawn food cannot be prepared as the options demand
 */
export function placeIngredients(
  world: WorldMaker,
  options: CookingOptions,
  menu: Menu,
  random: { readonly objects: NumpyRandom; readonly quest: NumpyRandom; readonly recipe: NumpyRandom },
): Ingredient[] {
  const foods = placeRandomFoods(world, options.recipe, random.quest, menu.keys());
  // Code units and code points order these names alike.
  foods.sort((a, b) => (a.name < b.name ? -1 : 1));
  const ingredients = drawPreparations(foods, menu, random.quest);

  const heldCount = options.recipe - options.take;
  const shuffled = foods.slice();
  random.quest.shuffle(shuffled);
  for (const food of shuffled.slice(0, heldCount)) world.move(food, world.inventory);

  for (const food of foods) {
    if (food.holder === world.inventory && heldCount >= inventoryLimit(options)) continue;
    placeLookAlikes(world, food, menu, random.objects);
  }
  const distractorCount = Math.abs(Math.trunc(random.objects.gaussian() * 3 + options.recipe));
  const distractors = placeRandomFoods(world, distractorCount, random.objects, menu.keys());
  if (options.recipeSeed === 0) return ingredients;

  const candidates = [...foods, ...distractors];
  random.recipe.shuffle(candidates);
  return drawPreparations(candidates.slice(0, options.recipe), menu, random.recipe);
}

/** Makes foods as the recipe wants them where the player does not have to do it. */
export function prepareAhead(ingredients: readonly Ingredient[], { cook, cut }: CookingOptions): void {
  for (const { food, cooking, cutting } of ingredients) {
    if (!cook) {
      food.add(cooking);
      food.add('cooked');
      if (food.has('inedible')) {
        food.add('edible');
        food.remove('inedible');
      }
      food.remove('raw');
      food.remove('needs_cooking');
    }
    if (!cut) {
      food.add(cutting);
      food.remove('uncut');
    }
  }
}
