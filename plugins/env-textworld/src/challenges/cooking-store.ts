// Puts foods and furniture into the house of a cooking game.
import type { NumpyRandom } from '../generate/numpy-random.js';
import { foods } from './cooking-foods.js';
import { furnishings } from './cooking-house.js';
import type { MadeEntity, WorldMaker } from './world-maker.js';

/** Draws one of the places that exist. Draws random numbers even if there is none. */
function drawHolder(world: WorldMaker, names: readonly string[], random: NumpyRandom): MadeEntity | undefined {
  const shuffled = names.slice();
  random.shuffle(shuffled);
  for (const name of shuffled) {
    const holder = world.named(name);
    if (holder) return holder;
  }
  return undefined;
}

/** Makes a food and draws a place for it, where it is put unless `holder` says another; nothing if there is none. */
export function placeFood(
  world: WorldMaker,
  name: string,
  random: NumpyRandom,
  holder?: MadeEntity,
): MadeEntity | undefined {
  const food = foods.get(name);
  if (!food) return undefined;
  const drawn = drawHolder(world, food.holders, random);
  const place = holder ?? drawn;
  if (!place) return undefined;
  const indefinite = food.indefinite === undefined ? {} : { indefinite: food.indefinite };
  const made = world.make('f', { name, adjective: '', noun: name, ...indefinite }, ...food.properties);
  world.put(place, made);
  return made;
}

/** Places up to `count` foods that the world does not have yet. */
export function placeRandomFoods(
  world: WorldMaker,
  count: number,
  random: NumpyRandom,
  allowed: Iterable<string>,
): MadeEntity[] {
  const present = new Set(world.ofType('f').map(({ name }) => name));
  const names = Array.from(allowed).filter((name) => !present.has(name));
  random.shuffle(names);
  const placed: MadeEntity[] = [];
  for (const name of names) {
    if (placed.length >= count) break;
    const food = placeFood(world, name, random);
    if (food) placed.push(food);
  }
  return placed;
}

/** Makes a piece of furniture, the cookbook or the knife and puts it where it belongs, if that exists. */
export function placeFurnishing(world: WorldMaker, name: string, random: NumpyRandom): MadeEntity | undefined {
  const furnishing = furnishings.get(name);
  if (!furnishing) return undefined;
  const holder = drawHolder(world, furnishing.holders, random);
  if (!holder) return undefined;
  const { type, adjective, properties, description } = furnishing;
  const made = world.make(
    type,
    { name, adjective, noun: name, ...(description !== undefined && { description }) },
    ...properties,
  );
  world.put(holder, made);
  return made;
}
