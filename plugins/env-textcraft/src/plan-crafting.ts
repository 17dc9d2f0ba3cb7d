// The oracle's planner. A plan gets each basic item once, in the amount that is missing, and crafts from the bottom up; it uses one
// recipe for each item. Among those it is the shortest (one turn for each kind that is got, one for each use of a recipe): branch and
// bound over the recipes of an item and over the items that may stand for a general ingredient.
import { craftingBook, itemsFor, recipesBelow, type Amount, type Recipe } from './crafting-book.js';

/** What the agent carries. */
export type Inventory = ReadonlyMap<string, number>;

export type PlannedTurn = { readonly get: Amount } | { readonly craft: Recipe };

export interface CraftingPlan {
  /** In order; the same recipe stands there once for each use. */
  readonly turns: readonly PlannedTurn[];
  /** What the plan crafts, by the names that its recipes ask for: a general name where any item of the kind will do. */
  readonly crafted: readonly string[];
  /** Which items stand for a general ingredient, and how many of each. */
  readonly membersOf: ReadonlyMap<string, readonly Amount[]>;
}

/** Names below a goal, goal first: everything stands before what it is made of. */
const namesBelow = new Map<string, readonly string[]>();

function listNames(goal: string): readonly string[] {
  const known = namesBelow.get(goal);
  if (known !== undefined) return known;
  const names = new Set([goal]);
  for (const { output, ingredients } of recipesBelow(goal)) {
    names.add(output.name);
    for (const { name } of ingredients) names.add(name);
  }
  const rank = (name: string) => craftingBook.rankOf.get(name) ?? 0;
  const sorted = [...names].sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
  namesBelow.set(goal, sorted);
  return sorted;
}

/** How a name is come by in a plan. */
interface Choice {
  /** How many are needed in all. */
  readonly need: number;
  readonly recipe?: Recipe;
  readonly uses?: number;
  /** Items that stand for a general ingredient. */
  readonly members?: readonly Amount[];
}

type Demand = ReadonlyMap<string, number>;

function add(demand: Demand, name: string, count: number): Map<string, number> {
  return new Map(demand).set(name, (demand.get(name) ?? 0) + count);
}

/** The cheapest item for a general ingredient when nothing is at hand. */
function cheapestMember(general: string): string {
  const [first = '', ...others] = itemsFor(general);
  let [best, turns] = [first, planCrafting(first, new Map()).turns.length];
  for (const other of others) {
    const length = planCrafting(other, new Map()).turns.length;
    if (length < turns) [best, turns] = [other, length];
  }
  return best;
}

const cheapest = new Map<string, string>();

/** Items worth considering for a general ingredient: those at hand or wanted anyway, by themselves or by an ingredient, and the cheapest. */
function candidates(general: string, demand: Demand, stock: Inventory): string[] {
  const near = (name: string) => (stock.get(name) ?? 0) > 0 || (demand.get(name) ?? 0) > 0;
  const fallback = cheapest.get(general) ?? cheapestMember(general);
  cheapest.set(general, fallback);
  const found = itemsFor(general).filter(
    (item) =>
      near(item) ||
      craftingBook.recipesOf.get(item)?.some(({ ingredients }) => ingredients.some(({ name }) => near(name))),
  );
  return found.includes(fallback) ? found : [...found, fallback];
}

function findChoices(goal: string, stock: Inventory, allowed: ReadonlySet<Recipe> | undefined): Map<string, Choice> {
  const names = listNames(goal);
  let best = new Map<string, Choice>();
  let fewest = Infinity;

  const search = (from: number, demand: Demand, turns: number, choices: ReadonlyMap<string, Choice>): void => {
    if (turns >= fewest) return;
    let at = from;
    // The goal itself must be crafted, whatever is carried.
    const missing = (name: string) => (demand.get(name) ?? 0) - (name === goal ? 0 : (stock.get(name) ?? 0));
    while (at < names.length && missing(names[at] ?? '') <= 0) at += 1;
    const name = names[at];
    if (name === undefined) {
      [best, fewest] = [new Map(choices), turns];
      return;
    }
    const need = demand.get(name) ?? 0;
    if (craftingBook.membersOf.has(name)) {
      chooseMembers(name, need, { at, demand, turns, choices });
      return;
    }
    const every = craftingBook.recipesOf.get(name);
    if (every === undefined) {
      search(at + 1, demand, turns + 1, new Map(choices).set(name, { need }));
      return;
    }
    for (const recipe of allowed === undefined ? every : every.filter((recipe) => allowed.has(recipe))) {
      const uses = Math.ceil(missing(name) / recipe.output.count);
      let next = demand;
      for (const ingredient of recipe.ingredients) next = add(next, ingredient.name, uses * ingredient.count);
      search(at + 1, next, turns + uses, new Map(choices).set(name, { need, recipe, uses }));
    }
  };

  const chooseMembers = (
    general: string,
    need: number,
    { at, demand, turns, choices }: { at: number; demand: Demand; turns: number; choices: ReadonlyMap<string, Choice> },
  ): void => {
    // What is carried beyond what is wanted by name is used up first.
    const members: Amount[] = [];
    let left = need;
    let next = demand;
    for (const name of itemsFor(general)) {
      const count = Math.min(left, Math.max(0, (stock.get(name) ?? 0) - (demand.get(name) ?? 0)));
      if (count === 0) continue;
      members.push({ name, count });
      next = add(next, name, count);
      left -= count;
    }
    if (left === 0) {
      search(at + 1, next, turns, new Map(choices).set(general, { need, members }));
      return;
    }
    for (const name of candidates(general, demand, stock)) {
      const chosen = [...members, { name, count: left }];
      search(at + 1, add(next, name, left), turns, new Map(choices).set(general, { need, members: chosen }));
    }
  };

  search(0, new Map([[goal, 1]]), 0, new Map());
  return best;
}

/** The way from an inventory to the goal; with `allowed`, by these recipes only, which must suffice. */
export function planCrafting(goal: string, stock: Inventory, allowed?: ReadonlySet<Recipe>): CraftingPlan {
  const choices = findChoices(goal, stock, allowed);
  const turns: PlannedTurn[] = [];
  const membersOf = new Map<string, readonly Amount[]>();
  const asked = new Set([goal]);
  const made = new Set<string>();
  const provide = (name: string): void => {
    const choice = choices.get(name);
    if (choice === undefined) return;
    choices.delete(name);
    if (choice.members !== undefined) {
      membersOf.set(name, choice.members);
      for (const member of choice.members) provide(member.name);
      if (choice.members.some((member) => made.has(member.name))) made.add(name);
    } else if (choice.recipe === undefined) {
      turns.push({ get: { name, count: choice.need - (stock.get(name) ?? 0) } });
    } else {
      made.add(name);
      for (const ingredient of choice.recipe.ingredients) {
        asked.add(ingredient.name);
        provide(ingredient.name);
      }
      for (let use = 0; use < (choice.uses ?? 0); use += 1) turns.push({ craft: choice.recipe });
    }
  };
  provide(goal);
  return { turns, crafted: [...made].filter((name) => asked.has(name)), membersOf };
}

/**
 * The ingredients to name when a recipe of the plan is used now: the recipe's own, but for a general one of which several kinds are
 * carried, where the planned items are named.
 */
export function ingredientsToName(recipe: Recipe, plan: CraftingPlan, stock: Inventory): Amount[] {
  return recipe.ingredients.flatMap((ingredient) => {
    const carried = itemsFor(ingredient.name).filter((name) => (stock.get(name) ?? 0) > 0);
    const members = plan.membersOf.get(ingredient.name);
    if (members === undefined || carried.length < 2) return [ingredient];
    const named: Amount[] = [];
    let left = ingredient.count;
    for (const { name, count } of members) {
      const taken = Math.min(left, count, stock.get(name) ?? 0);
      if (taken > 0) named.push({ name, count: taken });
      left -= taken;
    }
    return named;
  });
}
