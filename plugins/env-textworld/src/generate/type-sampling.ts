import type { Entity, Types } from '../logic/logic.js';
import type { NumpyRandom } from './numpy-random.js';

/** Draws one of the types, each with the same chance, that are below `ancestor`, or it itself if `orItself`. */
export function sampleType(
  types: Types,
  ancestor: string,
  random: NumpyRandom,
  { orItself = false, except = [] }: { readonly orItself?: boolean; readonly except?: readonly string[] } = {},
): string {
  const all = types.withBelow(ancestor).slice(orItself ? 0 : 1);
  return random.choice(all.filter((type) => !except.includes(type)));
}

/**
 * Numbers for the ids of new entities, by type: one more than the highest number in use, as the original counts
 * (`VariableTypeTree.count` and `get_new` of `generator/vtypes.py`).
 */
export class EntityNumbers {
  private readonly nextByType = new Map<string, number>();

  constructor(entities: Iterable<Entity>) {
    for (const entity of entities) this.see(entity);
  }

  copy(): EntityNumbers {
    const copy = new EntityNumbers([]);
    for (const [type, next] of this.nextByType) copy.nextByType.set(type, next);
    return copy;
  }

  see({ id, type }: Entity): void {
    const number = Number(/_(\d+)$/.exec(id)?.[1] ?? NaN);
    if (number >= (this.nextByType.get(type) ?? 0)) this.nextByType.set(type, number + 1);
  }

  /** A new entity; its number is used up even if the entity is thrown away. */
  make(type: string): Entity {
    const number = this.nextByType.get(type) ?? 0;
    this.nextByType.set(type, number + 1);
    return { id: `${type}_${number}`, type };
  }
}
