// Cooking games: find the kitchen, read the cookbook, prepare a meal and eat it (`challenges/tw_cooking/cooking.py`).
import type { GameDraft } from '../generate/draft.js';
import type { Seeds } from '../generate/seeds.js';
import { NumpyRandom } from '../generate/numpy-random.js';
import { sortFacts } from '../generate/sort-facts.js';
import { basicFurniture, doors, furnishings, neighbours, roomGroups } from './cooking-house.js';
import { inventoryLimit, placeIngredients, prepareAhead, type Ingredient } from './cooking-ingredients.js';
import { cookingLogic } from './cooking-logic.js';
import { makeMenu, withoutGrill } from './cooking-menu.js';
import { checkCookingOptions, type CookingOptions } from './cooking-options.js';
import { cookingQuests } from './cooking-quests.js';
import { placeFurnishing } from './cooking-store.js';
import { planCooking } from './cooking-walkthrough.js';
import { placeRooms } from './place-rooms.js';
import { WorldMaker, type MadeEntity, type MadeRoom } from './world-maker.js';

const cuttingVerbs = { uncut: undefined, chopped: 'chop', sliced: 'slice', diced: 'dice' } as const;
const cookingVerbs = { raw: undefined, fried: 'fry', roasted: 'roast', grilled: 'grill' } as const;

/**
 * Makes a cooking game.
 *
 * @throws ChallengeError for options that exclude each other, and for a seed whose recipe cannot be cooked as they say
 */
export function makeCooking(seeds: Seeds, options: CookingOptions): GameDraft {
  checkCookingOptions(options);
  const map = new NumpyRandom(seeds.map);
  const objects = new NumpyRandom(seeds.objects);
  const quest = new NumpyRandom(seeds.quest);
  const logic = cookingLogic(options.drop);
  const world = new WorldMaker(logic.types);
  const recipe = world.make('RECIPE');
  const meal = world.make('meal', { name: 'meal' }, 'edible');
  world.addFact('out', meal, recipe);

  buildHouse(world, options.go, map, objects);
  const kitchen = world.roomNamed('kitchen') as MadeRoom;
  world.addFact('cooking_location', kitchen, recipe);
  const cookbook = furnish(world, options.cut, objects);
  const start = map.choice(world.rooms);
  world.put(start, world.player);

  const menu = makeMenu(options);
  const ingredients = placeIngredients(world, options, world.named('BBQ') ? menu : withoutGrill(menu), {
    objects,
    quest,
    recipe: new NumpyRandom(options.recipeSeed),
  });
  writeRecipe(world, recipe, ingredients);
  prepareAhead(ingredients, options);
  if (!options.open) openAll(world.entities);

  if (options.drop) makeSlots(world, inventoryLimit(options));
  cookbook.words = { ...cookbook.words, description: recipeText(ingredients), synonyms: ['recipe'] };
  const scene = { world, kitchen, start, cookbook, meal };
  const { commands, playthrough } = planCooking(scene, ingredients, options, logic.rules);
  return {
    logic,
    facts: sortFacts(world.facts()),
    // The original does not play its plan with a limited inventory, so that its events have no actions there.
    quests: cookingQuests(world, meal, ingredients, options.drop ? undefined : playthrough),
    words: world.words(),
    objective: {
      kind: 'text',
      text: 'You are hungry. Prepare a meal and eat it! The cookbook in the kitchen tells you what it takes.',
    },
    ...(commands && { walkthrough: commands }),
  };
}

function buildHouse(world: WorldMaker, roomCount: number, map: NumpyRandom, objects: NumpyRandom): void {
  const groups = roomGroups.slice(0, { 1: 1, 6: 2, 9: 3 }[roomCount] ?? 4);
  const plan = placeRooms(map, groups, neighbours);
  const rooms = plan.names.map((name) => world.makeRoom({ name }));
  for (const { from, direction, to } of plan.exits) {
    world.connect(rooms[from] as MadeRoom, direction, rooms[to] as MadeRoom);
  }
  for (const { between, names } of doors) {
    const [one, other] = [world.roomNamed(between[0]), world.roomNamed(between[1])];
    const passage = one && other && world.passageBetween(one, other);
    if (!passage) continue;
    const shuffled = names.slice();
    objects.shuffle(shuffled);
    const name = shuffled.find((candidate) => !world.named(candidate));
    world.makeDoor(passage, name ?? 'door', 'closed');
  }
}

/** Places furniture, the cookbook and, where it is needed or drawn, the knife. Gives the cookbook. */
function furnish(world: WorldMaker, needsKnife: boolean, random: NumpyRandom): MadeEntity {
  for (const name of basicFurniture) placeFurnishing(world, name, random);
  const count = random.integer(world.rooms.length, furnishings.size + 1);
  const missing = Array.from(furnishings.values()).filter(({ name, type }) => type !== 'o' && !world.named(name));
  random.shuffle(missing);
  for (const { name } of missing.slice(0, count)) placeFurnishing(world, name, random);
  const cookbook = placeFurnishing(world, 'cookbook', random) as MadeEntity;
  const hasKnife = random.random() > 0.5 || needsKnife;
  if (hasKnife) placeFurnishing(world, 'knife', random);
  return cookbook;
}

/** Adds the facts of the recipe. */
function writeRecipe(world: WorldMaker, recipe: MadeEntity, ingredients: readonly Ingredient[]): void {
  ingredients.forEach(({ food, cooking, cutting }, index) => {
    const ingredient = world.make('ingredient', {}, cutting, cooking);
    food.add(`ingredient_${index + 1}`);
    world.addFact('base', food, ingredient);
    world.addFact('in', ingredient, recipe);
  });
}

function openAll(entities: readonly MadeEntity[]): void {
  for (const made of entities) {
    if (!made.has('closed')) continue;
    made.remove('closed');
    made.add('open');
  }
}

/** Each slot of the inventory can carry one thing. */
function makeSlots(world: WorldMaker, limit: number): void {
  for (let index = 0; index < limit; index++) {
    world.make('slot', {}, index < world.inventory.contents.length ? 'used' : 'free');
  }
}

/** What the cookbook says. */
function recipeText(ingredients: readonly Ingredient[]): string {
  const directions = ingredients.flatMap(({ food, cooking, cutting }) =>
    [cuttingVerbs[cutting], cookingVerbs[cooking]].flatMap((verb) => (verb ? [`${verb} the ${food.name}`] : [])),
  );
  return [
    'The cookbook lies open at the recipe for your meal. Gather the ingredients and do what it says.',
    '',
    'Ingredients:',
    ...ingredients.map(({ food }) => `  ${food.name}`),
    '',
    'Directions:',
    ...directions.map((direction) => `  ${direction}`),
    '  prepare meal',
  ].join('\n');
}
