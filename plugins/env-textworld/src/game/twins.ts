import type { KnownEntity, KnownFact } from '../logic/facts.js';
import type { ActionTable, GameAction } from './action-table.js';

/** An entity that others can stand in for, such as a place in the inventory. */
export interface Twin {
  /** Equal for entities that can stand in for each other. */
  readonly group: string;
  /** Numbers of all facts about it that can change, in the order of their names. */
  readonly facts: readonly number[];
}

/**
 * Entities that can stand in for each other: nothing but facts about themselves alone is ever true of them, those that
 * never change are the same, and no quest mentions them. States that differ only in which of them is used need not be
 * searched twice. `table` must be closed.
 */
export function findTwins(table: ActionTable, mentioned: readonly KnownFact[]): ReadonlyMap<KnownEntity, Twin> {
  const taken = new Set(mentioned.flatMap(({ entities }) => entities));
  const twins = new Map<KnownEntity, Twin>();
  for (const entity of table.facts.entities) {
    if (taken.has(entity)) continue;
    const facts = table.facts.withEntity(entity);
    if (facts.length === 0 || facts.some(({ entities }) => entities.length > 1)) continue;
    const sorted = [...facts].sort((one, other) => (one.name < other.name ? -1 : 1));
    const names = sorted.filter((fact) => table.isStatic(fact)).map(({ name }) => name);
    twins.set(entity, {
      group: [entity.type, ...names].join(' '),
      facts: sorted.filter((fact) => !table.isStatic(fact)).map(({ index }) => index),
    });
  }
  return twins;
}

/** Equal for actions that differ only in which twins they are about; undefined if the action is about none. */
export function kindOf(action: GameAction, twins: ReadonlyMap<KnownEntity, Twin>): string | undefined {
  if (!action.entities.some((entity) => twins.has(entity))) return undefined;
  return [action.rule, ...action.entities.map((entity) => twins.get(entity)?.group ?? entity.id)].join('\n');
}
