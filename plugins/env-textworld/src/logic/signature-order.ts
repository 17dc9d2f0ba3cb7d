import type { Pattern, Types } from './logic.js';

/**
 * In which order the facts that fit a pattern are tried, by the types of their entities (joined by a space): the
 * pattern's own types first, then types below them, breadth first (`TypeHierarchy.multi_subtypes` of
 * `logic/__init__.py`).
 */
export function signatureOrder(types: Types, pattern: Pattern): ReadonlyMap<string, number> {
  const below = (combination: readonly string[]): string[][] =>
    combination.flatMap((type, index) => types.below(type).map((child) => combination.with(index, child)));
  const own = pattern.placeholders.map(({ type }) => type);
  const order = new Map([[own.join(' '), 0]]);
  const queue = below(own);
  for (let next = 0; next < queue.length; next++) {
    const combination = queue[next] as string[];
    const key = combination.join(' ');
    if (order.has(key)) continue;
    order.set(key, order.size);
    queue.push(...below(combination));
  }
  return order;
}
