// Deeds of cooking games (`challenges/tw_cooking/textworld_data/logic/`).
import type { DeedContext } from './deed-context.js';
import { FoodKind, HeatKind, player, type StoryObject } from './story-object.js';
import { Burned, Consumed, Cooked, cuttings, Edible, Inedible, NeedsCooking } from './story-world.js';

/** By index of `cookings`. */
const cookedBy = ['heated', 'grilled', 'roasted', 'fried'];

/** Whether the meal can be prepared here and now. */
export function hasEverything(context: DeedContext): boolean {
  const { recipe, corrections, game, objects } = context.story;
  if (recipe === undefined) return context.refuse('You still miss something.');
  if (context.world.parent(player) !== recipe.room) {
    const heading = context.name(recipe.room, 'none');
    const plain = game.infos.get(objects[recipe.room]?.id ?? '')?.name ?? heading;
    return context.refuse(`Can only prepare meal in the ${corrections.namesRoomsPlainly ? plain : heading}.`);
  }
  for (const { food, cooking, cutting } of recipe.ingredients) {
    if (!context.isHeld(food)) return context.refuse('You still miss something.');
    if (context.world.cooking(food) !== cooking) return context.refuse('Something still needs to be cooked.');
    if (context.world.cutting(food) !== cutting) return context.refuse('Something still needs to be cut.');
  }
  return true;
}

export function drink(context: DeedContext, noun: number): boolean {
  if (!(context.story.objects[noun] as StoryObject).drinkable)
    return context.refuse(`You cannot drink ${context.the(noun)}.`);
  if (!context.isAllowed('drinkHeld', noun, 0)) return false;
  context.world.move(noun, 0);
  context.world.set(noun, Consumed, true);
  return context.tell(`You drink ${context.the(noun)}. Not bad.`);
}

export function cook(context: DeedContext, noun: number, heat: number): boolean {
  const { world, story } = context;
  if (!context.is(noun, FoodKind)) return context.refuse('Can only cook food.');
  if (!context.is(heat, HeatKind)) return context.refuse('Cooking requires a source of heat.');
  if (!context.isAllowed('cook', noun, heat)) return false;
  const name = context.name(noun, 'none');
  if (world.has(noun, Cooked)) {
    world.set(noun, Burned, true);
    world.set(noun, Edible, false);
    world.set(noun, Inedible, true);
    return context.tell(`You burned the ${name}!`);
  }
  world.set(noun, Cooked, true);
  if (world.has(noun, NeedsCooking)) {
    world.set(noun, Edible, true);
    world.set(noun, Inedible, false);
    world.set(noun, NeedsCooking, false);
  }
  const { heat: result } = story.objects[heat] as StoryObject;
  world.setCooking(noun, result);
  return context.tell(`You ${cookedBy[result]} the ${name}.`);
}

export function slice(context: DeedContext, deed: 'slice' | 'dice' | 'chop', noun: number, tool: number): boolean {
  if (!context.isAllowed(deed, noun, tool)) return false;
  context.world.setCutting(noun, cuttings.indexOf(deed === 'slice' ? 'sliced' : deed === 'dice' ? 'diced' : 'chopped'));
  return context.tell(`You ${deed} the ${context.name(noun, 'none')}.`);
}

export function prepare(context: DeedContext): boolean {
  const { recipe } = context.story;
  if (recipe === undefined || !context.isAllowed('prepare', 0, 0)) return false;
  for (const { food } of recipe.ingredients) context.world.move(food, 0);
  context.world.move(recipe.meal, player);
  context.situation.notice(recipe.meal);
  return context.tell('Adding the meal to your inventory.');
}
