import type { Entity, Fact } from '../logic/logic.js';

/** The order of entities in the original: by id, then by type, both by code units. */
export function orderOfEntities(left: Entity, right: Entity): number {
  if (left.id !== right.id) return left.id < right.id ? -1 : 1;
  if (left.type === right.type) return 0;
  return left.type < right.type ? -1 : 1;
}

/** The order of facts in the original: by name, then entity by entity. */
function compareFacts(left: Fact, right: Fact): number {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1;
  const length = Math.min(left.entities.length, right.entities.length);
  for (let index = 0; index < length; index++) {
    const order = orderOfEntities(left.entities[index] as Entity, right.entities[index] as Entity);
    if (order !== 0) return order;
  }
  return left.entities.length - right.entities.length;
}

/** The facts in the order in which the original lists those of a world; the input is not changed. */
export function sortFacts(facts: readonly Fact[]): Fact[] {
  return [...facts].sort(compareFacts);
}
