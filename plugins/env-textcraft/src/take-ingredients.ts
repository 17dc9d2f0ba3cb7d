import { craftingBook, itemsFor, type Amount, type CraftingRecipe } from './crafting-book.js';
import type { Inventory } from './plan-crafting.js';

/** Amounts by name, those of one name added up. */
function sumUp(amounts: readonly Amount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { name, count } of amounts) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

/**
 * The items for named ingredients from an inventory: an item stands for itself, a general name for any carried item of
 * its kind that is not named itself, in order. Undefined if an item is missing.
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
 * True if the named ingredients are those of the recipe, in exact amounts with nothing left over. Items of a kind may
 * stand for a general ingredient, several kinds together too.
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
