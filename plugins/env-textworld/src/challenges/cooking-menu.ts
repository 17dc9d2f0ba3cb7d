// Which foods a cooking game may use, and how they may be prepared.
import { foods, type Cooking, type Cutting, type Food, type Preparation } from './cooking-foods.js';
import type { CookingOptions } from './cooking-options.js';
import { splitFoods, trainFoodPreparations, type Split } from './cooking-splits.js';

/** Names of foods with their preparations, both in the order of the original: its random choices depend on it. */
export type Menu = ReadonlyMap<string, readonly Preparation[]>;

const cookings: Readonly<Record<string, Cooking>> = { w: 'raw', f: 'fried', r: 'roasted', g: 'grilled' };
const cuttings: Readonly<Record<string, Cutting>> = { u: 'uncut', c: 'chopped', s: 'sliced', d: 'diced' };

function readPreparations(letters: string): Preparation[] {
  return letters.split(' ').map((pair) => ({
    cooking: cookings[pair.charAt(0)] ?? 'raw',
    cutting: cuttings[pair.charAt(1)] ?? 'uncut',
  }));
}

/** All that can be done with a food. */
function allPreparations({ properties }: Food): Preparation[] {
  const ways: Cooking[] = properties.includes('cookable') ? ['grilled', 'fried', 'roasted'] : ['raw'];
  if (ways.length > 1 && !properties.includes('needs_cooking')) ways.push('raw');
  const cuts: Cutting[] = properties.includes('cuttable') ? ['uncut', 'chopped', 'sliced', 'diced'] : ['uncut'];
  return ways.flatMap((cooking) => cuts.map((cutting) => ({ cooking, cutting })));
}

function menuOfSplit(split: Split | ''): Menu {
  if (split === '') return new Map(Array.from(foods, ([name, food]) => [name, allPreparations(food)]));
  const preparations = (name: string) => readPreparations(trainFoodPreparations[name]?.[split] ?? '');
  if (split === 'train') return new Map(splitFoods.train.map((name) => [name, preparations(name)]));
  const own = Array.from(foods.values()).filter(({ name }) => splitFoods[split].includes(name));
  own.sort((a, b) => splitFoods[split].indexOf(a.name) - splitFoods[split].indexOf(b.name));
  const shared = Array.from(foods.keys()).filter((name) => splitFoods.train.includes(name));
  return new Map([
    ...own.map((food) => [food.name, allPreparations(food)] as const),
    ...shared.map((name) => [name, preparations(name)] as const),
  ]);
}

function only(menu: Menu, allows: (preparation: Preparation) => boolean): Map<string, readonly Preparation[]> {
  return new Map(Array.from(menu, ([name, preparations]) => [name, preparations.filter(allows)]));
}

/** Foods that cannot be prepared at all are taken off. */
function servable(menu: Menu): Menu {
  return new Map(Array.from(menu).filter(([, preparations]) => preparations.length > 0));
}

/** What a game may use. Only if corrected, foods that have to be cut and cannot be are taken off. */
export function makeMenu({ split, cut, cook, compat }: CookingOptions): Menu {
  const key = [split, cut, cook, compat].join(' ');
  let menu = menus.get(key);
  if (menu === undefined) menus.set(key, (menu = writeMenu({ split, cut, cook, compat })));
  return menu;
}

const menus = new Map<string, Menu>();

function writeMenu({ split, cut, cook, compat }: Pick<CookingOptions, 'split' | 'cut' | 'cook' | 'compat'>): Menu {
  let menu = menuOfSplit(split);
  if (cut) menu = only(menu, ({ cutting }) => cutting !== 'uncut');
  if (cook) menu = servable(only(menu, ({ cooking }) => cooking !== 'raw'));
  return compat === 'corrected' ? servable(menu) : menu;
}

/** The menu of a house without a BBQ. */
export function withoutGrill(menu: Menu): Menu {
  return servable(only(menu, ({ cooking }) => cooking !== 'grilled'));
}
