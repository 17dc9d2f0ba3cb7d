import { craftingBook, itemsFor, type Amount, type CraftingRecipe } from './crafting-book.js';
import type { Inventory } from './plan-crafting.js';

/** Total amount for each name. */
function sumUp(amounts: readonly Amount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { name, count } of amounts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

/**
 * Takes items for named ingredients from an inventory. An item's name takes that item. Then a general name takes the
 * remaining carried items of its kind, in order. Undefined if an item is missing.
 */
export function takeFrom(stock: Inventory, named: readonly Amount[]): Map<string, number> | undefined {
  const taken = new Map<string, number>();
  const sums = [...sumUp(named)].sort(
    ([a], [b]) => Number(craftingBook.membersOf.has(a)) - Number(craftingBook.membersOf.has(b)),
  );
  for (const [name, count] of sums) {
    let left = count;
    const kinds = craftingBook.membersOf.has(name)
      ? [...stock.keys()].filter((item) => itemsFor(name).includes(item))
      : [name];
    for (const item of kinds) {
      const share = Math.min(left, (stock.get(item) ?? 0) - (taken.get(item) ?? 0));
      if (share <= 0) continue;
      taken.set(item, (taken.get(item) ?? 0) + share);
      left -= share;
    }
    if (left > 0) return undefined;
  }
  return taken;
}

/**
 * Whether the named ingredients match the recipe in exact amounts, with nothing left over. Items of one or several
 * kinds may replace a general ingredient.
 */
export function fits(recipe: CraftingRecipe, named: readonly Amount[]): boolean {
  const left = sumUp(named);
  for (const { name, count } of recipe.ingredients) {
    const standIns = [name, ...(craftingBook.membersOf.get(name) ?? [])].filter((item) => left.has(item));
    const sum = standIns.reduce((total, item) => total + (left.get(item) ?? 0), 0);
    if (sum !== count) return false;
    for (const item of standIns) left.delete(item);
  }
  return left.size === 0;
}
