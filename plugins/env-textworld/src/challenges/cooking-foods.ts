// The foods of cooking games: what can be done with them and where they are kept.

export type Cooking = 'raw' | 'fried' | 'roasted' | 'grilled';
export type Cutting = 'uncut' | 'chopped' | 'sliced' | 'diced';

/** How an ingredient has to be when the meal is prepared. */
export interface Preparation {
  readonly cooking: Cooking;
  readonly cutting: Cutting;
}

export interface Food {
  readonly name: string;
  /** Facts about the food before anything was done with it. */
  readonly properties: readonly string[];
  /** Names of the things or rooms where it may be. */
  readonly holders: readonly string[];
  /** The word before it in lists, where it is not `a` or `an`. */
  readonly indefinite?: string;
}

const raw = ['edible', 'cookable', 'raw', 'cuttable', 'uncut'];
const tough = ['inedible', 'cookable', 'needs_cooking', 'cuttable', 'uncut'];
const whole = ['inedible', 'cookable', 'needs_cooking'];
const herb = ['edible', 'cuttable', 'uncut'];
const powder = ['edible'];
const oil = ['inedible'];
const drink = ['drinkable', 'inedible'];

const bought = ['fridge', 'showcase'];
const cool = ['fridge', 'garden'];
const ripe = ['counter', 'garden'];
const dry = ['shelf', 'showcase'];

type Group = readonly [
  names: readonly string[],
  properties: readonly string[],
  holders: readonly string[],
  indefinite?: string,
];

const groups: readonly Group[] = [
  [['egg'], whole, bought],
  [['milk', 'water'], drink, bought, 'some'],
  [['vegetable oil', 'peanut oil', 'olive oil'], oil, dry, 'some'],
  [['chicken wing', 'chicken leg', 'chicken breast'], whole, bought],
  [['pork chop', 'red tuna', 'white tuna'], tough, bought],
  [['carrot', 'red onion', 'white onion', 'yellow onion', 'lettuce'], raw, cool],
  [['red potato', 'yellow potato', 'purple potato'], tough, ripe],
  [['red apple', 'yellow apple', 'green apple', 'banana', 'tomato', 'red hot pepper', 'green hot pepper'], raw, ripe],
  [['red bell pepper', 'yellow bell pepper', 'green bell pepper', 'orange bell pepper'], raw, cool],
  [['black pepper', 'flour', 'salt', 'sugar'], powder, dry],
  [['block of cheese'], raw, bought],
  [['cilantro', 'parsley'], herb, cool],
];

/** All foods by name, in the order in which the original lists them: its random choices depend on it. */
export const foods: ReadonlyMap<string, Food> = new Map(
  groups.flatMap(([names, properties, holders, indefinite]) =>
    names.map((name) => [name, { name, properties, holders, ...(indefinite && { indefinite }) }] as const),
  ),
);
