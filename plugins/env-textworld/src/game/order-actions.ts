import { compareEntities, type KnownEntity, type KnownFact } from '../logic/facts.js';
import type { Fact } from '../logic/logic.js';
import type { CompiledPattern, CompiledRule } from './compile-logic.js';

interface ActionOfRule {
  readonly before: readonly KnownFact[];
  readonly entities: readonly KnownEntity[];
}

/** Order of two actions of a rule: `State.all_assignments` tries the facts of each needed pattern in sorted order. */
export function compareActions(rule: CompiledRule, left: ActionOfRule, right: ActionOfRule): number {
  for (let index = 0; index < rule.before.length; index++) {
    const one = left.before[index] as KnownFact;
    const other = right.before[index] as KnownFact;
    if (one === other) continue;
    const { order } = rule.before[index] as CompiledPattern;
    const byTypes = order ? rankOf(order, one) - rankOf(order, other) : 0;
    if (byTypes !== 0) return byTypes;
    return compareEntities(one.entities, other.entities);
  }
  return compareEntities(left.entities, right.entities);
}

const rankOf = (order: ReadonlyMap<string, number>, { entities }: Fact): number =>
  order.get(entities.map(({ type }) => type).join(' ')) ?? 0;

/** Distance between the first orders of two neighbours. */
const gap = 2 ** 20;
/** Distance between the orders of the first actions of two rules. */
const stride = 2 ** 42;

/**
 * Puts items in their places in a sorted list, with an `order` between those of their neighbours; the whole list gets
 * new ones where no number is left between them, or where many items are new. Orders of different groups do not mix.
 */
export function insertSorted<Item extends { order: number }>(
  list: Item[],
  added: readonly Item[],
  compare: (one: Item, other: Item) => number,
  group: number,
): void {
  const base = group * stride;
  const renumber = (): void => {
    list.forEach((item, index) => (item.order = base + index * gap));
  };
  if (added.length * 4 > list.length) {
    for (const item of added) list.push(item);
    list.sort(compare);
    renumber();
    return;
  }
  for (const item of added) {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(list[middle] as Item, item) < 0) low = middle + 1;
      else high = middle;
    }
    const next = list[low];
    const from = list[low - 1]?.order ?? (next as Item).order - 2 * gap;
    const to = next?.order ?? from + 2 * gap;
    list.splice(low, 0, item);
    item.order = (from + to) / 2;
    if (item.order <= from || item.order >= to) renumber();
  }
}
