import type { Entity } from '../logic/logic.js';
import type { GameFacts } from './game-facts.js';
import { cookings, cuttings } from './story-world.js';

/** A meal and what it is made of. Objects of the story; indices in `cookings` and `cuttings`. */
export interface StoryRecipe {
  readonly meal: number;
  /** Where it can be prepared. */
  readonly room: number;
  /** In the order in which the story looks at them. */
  readonly ingredients: readonly { readonly food: number; readonly cooking: number; readonly cutting: number }[];
}

/** The recipe of a cooking game; undefined if it has none. */
export function findRecipe(facts: GameFacts, numbers: ReadonlyMap<string, number>): StoryRecipe | undefined {
  const number = (entity: Entity): number => numbers.get(entity.id) ?? 0;
  const [meal] = facts.withName('out')[0]?.entities ?? [];
  const [room] = facts.withName('cooking_location')[0]?.entities ?? [];
  if (meal === undefined || room === undefined) return undefined;
  const inRecipe = facts.withName('in').filter(({ entities }) => entities[1]?.type === 'RECIPE');
  const inOrder = inRecipe.flatMap(({ entities }) => entities.slice(0, 1));
  inOrder.sort((one, other) => number(one) - number(other));
  const ingredients = inOrder.flatMap((ingredient) => {
    const base = facts.withName('base').find(({ entities }) => entities[1]?.id === ingredient?.id)?.entities[0];
    if (base === undefined) return [];
    const indexOf = (values: readonly string[]): number =>
      Math.max(
        0,
        values.findIndex((value) => facts.holds(value, ingredient.id)),
      );
    return [{ food: number(base), cooking: indexOf(cookings), cutting: indexOf(cuttings) }];
  });
  return { meal: number(meal), room: number(room), ingredients };
}
