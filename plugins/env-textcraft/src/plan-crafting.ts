// The oracle's planner. A plan gets each basic item once, in the missing amount, crafts from the bottom up, and uses
// one
// recipe for each item. The planner finds the shortest such plan (one turn for each kind to get, one for each use of a
// recipe) by branch and bound over the recipes of an item and over the items that may replace a general ingredient.
import { craftingBook, itemsFor, recipesBelow, type Amount, type CraftingRecipe } from './crafting-book.js';

/** Items that the agent carries. */
export type Inventory = ReadonlyMap<string, number>;

type PlannedTurn = { readonly get: Amount } | { readonly craft: CraftingRecipe };

export interface CraftingPlan {
  /** In order. A recipe occurs once for each use. */
  readonly turns: readonly PlannedTurn[];
  /** Names of what the plan crafts, as its recipes ask for them: a general name if any item of the kind is enough. */
  readonly crafted: readonly string[];
  /** The items that replace a general ingredient, with their counts. */
  readonly membersOf: ReadonlyMap<string, readonly Amount[]>;
}

/** A name below a goal. It refers to other nodes by their index in the list. */
interface Node {
  readonly name: string;
  /** Ways to craft it. Absent for items that the agent can only get, and for general ingredients. */
  readonly recipes?: readonly {
    readonly recipe: CraftingRecipe;
    readonly parts: readonly (readonly [node: number, count: number])[];
  }[];
  /** The items that can serve as a general ingredient. */
  readonly members?: readonly number[];
  /** Itself and the ingredients of its recipes. If any of these is carried or needed, the item is tried as a member. */
  readonly near: readonly number[];
}

const nodesBelow = new Map<string, readonly Node[]>();

/** All items below a goal, goal first: each name comes before its ingredients. */
function listNodes(goal: string): readonly Node[] {
  const known = nodesBelow.get(goal);
  if (known !== undefined) return known;
  const below = recipesBelow(goal);
  const names = new Set([
    goal,
    ...below.flatMap(({ output, ingredients }) => [output, ...ingredients].map(({ name }) => name)),
  ]);
  const rank = (name: string) => craftingBook.rankOf.get(name) ?? 0;
  const sorted = [...names].sort((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1));
  const indexOf = new Map(sorted.map((name, index) => [name, index]));
  const index = (name: string) => indexOf.get(name) ?? 0;
  const nodes = sorted.map((name): Node => {
    const members = craftingBook.membersOf.get(name)?.map(index);
    const recipes = craftingBook.recipesOf.get(name)?.map((recipe) => {
      return { recipe, parts: recipe.ingredients.map((part) => [index(part.name), part.count] as const) };
    });
    const near = [index(name), ...(recipes ?? []).flatMap(({ parts }) => parts.map(([part]) => part))];
    return { name, near, ...(recipes === undefined ? {} : { recipes }), ...(members === undefined ? {} : { members }) };
  });
  nodesBelow.set(goal, nodes);
  return nodes;
}

const cheapest = new Map<string, string>();

/** The item of a general ingredient that takes the fewest turns from an empty inventory. */
function cheapestMember(general: string): string {
  const known = cheapest.get(general);
  if (known !== undefined) return known;
  let [best, fewest] = ['', Infinity];
  for (const item of itemsFor(general)) {
    const { length } = planCrafting(item, new Map()).turns;
    if (length < fewest) [best, fewest] = [item, length];
  }
  cheapest.set(general, best);
  return best;
}

/**
 * The best plan found. For each node: how many are needed, the number of the recipe (-1 for none), and the members that
 * replace it.
 */
interface Choices {
  readonly need: readonly number[];
  readonly recipe: readonly number[];
  readonly members: ReadonlyMap<number, readonly (readonly [node: number, count: number])[]>;
}

function findChoices(
  nodes: readonly Node[],
  stock: readonly number[],
  allowed: ReadonlySet<CraftingRecipe> | undefined,
): Choices {
  const need: number[] = nodes.map((_, index) => (index === 0 ? 1 : 0));
  const chosen = nodes.map(() => -1);
  const standIns = new Map<number, (readonly [node: number, count: number])[]>();
  let best: Choices = { need, recipe: chosen, members: standIns };
  let fewest = Infinity;
  const ask = (node: number, count: number) => (need[node] = (need[node] ?? 0) + count);

  const search = (from: number, turnsBefore: number): void => {
    let turns = turnsBefore;
    for (let at = from; at < nodes.length; at += 1) {
      if (turns >= fewest) return;
      const { recipes, members } = nodes[at] as Node;
      const missing = (need[at] ?? 0) - (stock[at] ?? 0);
      chosen[at] = -1;
      standIns.delete(at);
      if (missing <= 0) continue;
      if (members !== undefined) return chooseMembers(at, members, turns);
      if (recipes !== undefined) return chooseRecipe(at, missing, turns);
      turns += 1;
    }
    if (turns >= fewest) return;
    fewest = turns;
    best = { need: [...need], recipe: [...chosen], members: new Map(standIns) };
  };

  const chooseRecipe = (at: number, missing: number, turns: number): void => {
    for (const [number, { recipe, parts }] of (nodes[at]?.recipes ?? []).entries()) {
      if (allowed?.has(recipe) === false) continue;
      const uses = Math.ceil(missing / recipe.output.count);
      chosen[at] = number;
      for (const [part, count] of parts) ask(part, uses * count);
      search(at + 1, turns + uses);
      for (const [part, count] of parts) ask(part, -uses * count);
    }
  };

  const chooseMembers = (at: number, members: readonly number[], turns: number): void => {
    // Carried items are used up first, unless the command names them for something else.
    const carried: (readonly [number, number])[] = [];
    let left = need[at] ?? 0;
    for (const member of members) {
      const count = Math.min(left, Math.max(0, (stock[member] ?? 0) - (need[member] ?? 0)));
      if (count > 0) carried.push([member, count]);
      left -= count;
    }
    const fallback = left === 0 ? '' : cheapestMember(nodes[at]?.name ?? '');
    const wanted = (node: number) => (stock[node] ?? 0) > 0 || (need[node] ?? 0) > 0;
    const candidates = members.filter(
      (member) => nodes[member]?.name === fallback || nodes[member]?.near.some(wanted) === true,
    );
    for (const [member, count] of carried) ask(member, count);
    for (const member of left === 0 ? [undefined] : candidates) {
      standIns.set(at, member === undefined ? carried : [...carried, [member, left]]);
      if (member !== undefined) ask(member, left);
      search(at + 1, turns);
      if (member !== undefined) ask(member, -left);
    }
    for (const [member, count] of carried) ask(member, -count);
  };

  search(0, 0);
  return best;
}

/** The plan from an inventory to the goal. With `allowed`, it uses only these recipes, which must suffice. */
export function planCrafting(goal: string, stock: Inventory, allowed?: ReadonlySet<CraftingRecipe>): CraftingPlan {
  const nodes = listNodes(goal);
  // The goal itself must be crafted, even if one is carried.
  const held = nodes.map(({ name }, index) => (index === 0 ? 0 : (stock.get(name) ?? 0)));
  const choices = findChoices(nodes, held, allowed);
  const turns: PlannedTurn[] = [];
  const membersOf = new Map<string, readonly Amount[]>();
  const asked = new Set([goal]);
  const made = new Set<string>();
  const done = new Set<number>();
  const provide = (at: number): void => {
    const { name, recipes, members } = nodes[at] as Node;
    const missing = (choices.need[at] ?? 0) - (held[at] ?? 0);
    if (missing <= 0 || done.has(at)) return;
    done.add(at);
    const way = recipes?.[choices.recipe[at] ?? -1];
    if (members !== undefined) {
      const standIns = (choices.members.get(at) ?? []).map(([node, count]) => ({
        node,
        name: nodes[node]?.name ?? '',
        count,
      }));
      membersOf.set(name, standIns);
      for (const { node } of standIns) provide(node);
      if (standIns.some((standIn) => made.has(standIn.name))) made.add(name);
    } else if (way === undefined) turns.push({ get: { name, count: missing } });
    else {
      for (const [part] of way.parts) {
        asked.add(nodes[part]?.name ?? '');
        provide(part);
      }
      made.add(name);
      for (let use = Math.ceil(missing / way.recipe.output.count); use > 0; use -= 1) turns.push({ craft: way.recipe });
    }
  };
  provide(0);
  return { turns, crafted: [...made].filter((name) => asked.has(name)), membersOf };
}

/**
 * The ingredients to name when a recipe of the plan is used now: the ingredients of the recipe. If several kinds of a
 * general ingredient are carried, the planned items are named instead.
 */
export function ingredientsToName(recipe: CraftingRecipe, plan: CraftingPlan, stock: Inventory): Amount[] {
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
