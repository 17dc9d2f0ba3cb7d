// The rules of cooking games: those of a house, with food to be cut and cooked and meals to be prepared
// (`challenges/tw_cooking/textworld_data/logic` and, with a limited inventory, `logic_drop`).
import { houseLogic } from '../logic/house-logic.js';
import type { Logic } from '../logic/logic.js';
import { parseLogic } from '../logic/parse-logic.js';
import { foodCode, noCapacityCode, recipeCode } from './cooking-inform.js';

const parsed = new Map<boolean, Logic>();

/** The rules of cooking games. With `hasSlots`, each thing that the player carries takes a slot of the inventory. */
export function cookingLogic(hasSlots: boolean): Logic {
  let logic = parsed.get(hasSlots);
  if (!logic) {
    logic = parseLogic(cookingLogicText(hasSlots));
    parsed.set(hasSlots, logic);
  }
  return logic;
}

function cookingLogicText(hasSlots: boolean): string {
  const sections = houseLogic().text.split(/^(?=type )/m);
  const ofHouse = ['r', 'o', 's', 'c', 'k'].map((type) => sections.find((text) => text.startsWith(`type ${type} `)));
  return [
    ...[...ofHouse, things, player(hasSlots), inventory(hasSlots), doors, food(hasSlots)],
    ...[heatSource('stove', 's', 'fried'), heatSource('oven', 'c', 'roasted'), heatSource('toaster', 'c', 'grilled')],
    recipes(hasSlots),
  ].join('\n');
}

const lines = (rows: readonly string[]): string => rows.join('\n            ');
const sentences = (...all: readonly string[]): string => all.map((sentence) => `${sentence}.`).join(' ');

const thingStates = ['sharp', 'cuttable', 'cookable', 'drinkable'];
const things = `
type object {
    inform7 { type { kind :: "object"; } }
}

type t {
    predicates { ${thingStates.map((state) => `${state}(t);`).join(' ')} }
    rules { examine/t :: at(P, r) & $at(t, r) -> at(P, r); }
    inform7 {
        type {
            kind :: "thing";
            definition :: "${sentences(
              ...[...thingStates, 'damaged'].flatMap((state) => [
                `a thing can be ${state}`,
                `a thing is usually not ${state}`,
              ]),
              ...['a thing can be a source of heat', 'a thing can be needs cooking'],
              ...['Type of cooking is a kind of value', 'The type of cooking are raw, grilled, roasted and fried'],
              ...['Type of cutting is a kind of value', 'The type of cutting are uncut, sliced, diced and chopped'],
            )}";
        }
        predicates {
            ${lines(thingStates.map((state) => `${state}(t) :: "The {t} is ${state}";`))}
        }
        commands { examine/t :: "examine {t}" :: "examining the {t}"; }
    }
}
`;

const moreCapacity = '"When play begins, increase the carrying capacity of the player by 1."';
const slots = `
type slot {
    predicates { free(slot); used(slot); }
    inform7 {
        type { kind :: "thing"; definition :: ""; }
        predicates { free(slot) :: ${moreCapacity}; used(slot) :: ${moreCapacity}; }
    }
}
`;

function player(hasSlots: boolean): string {
  return `${hasSlots ? slots : ''}
type P {
    rules { look :: at(P, r) -> at(P, r); }
    reverse_rules { look :: look; }
    inform7 {
        commands { look :: "look" :: "looking"; }
        ${hasSlots ? `code :: """${noCapacityCode}""";` : ''}
    }
}
`;
}

/** Patterns that a rule has in addition if it empties or fills a slot: before and after it. */
const emptied = (hasSlots: boolean) => (hasSlots ? (['& used(slot) ', ' & free(slot)'] as const) : (['', ''] as const));
const filled = (hasSlots: boolean) => (hasSlots ? (['& free(slot) ', ' & used(slot)'] as const) : (['', ''] as const));

/** As in the original, no command examines what is held: the fact that `examine/I` needs never holds. */
function inventory(hasSlots: boolean): string {
  const [wasFree, isUsed] = filled(hasSlots);
  const [wasUsed, isFree] = emptied(hasSlots);
  return `
type I {
    predicates { in(o, I); }
    rules {
        inventory :: at(P, r) -> at(P, r);
        take :: $at(P, r) & at(o, r) ${wasFree}-> in(o, I)${isUsed};
        drop :: $at(P, r) & in(o, I) ${wasUsed}-> at(o, r)${isFree};
        take/c :: $at(P, r) & $at(c, r) & $open(c) & in(o, c) ${wasFree}-> in(o, I)${isUsed};
        insert :: $at(P, r) & $at(c, r) & $open(c) & in(o, I) ${wasUsed}-> in(o, c)${isFree};
        take/s :: $at(P, r) & $at(s, r) & on(o, s) ${wasFree}-> in(o, I)${isUsed};
        put :: $at(P, r) & $at(s, r) & in(o, I) ${wasUsed}-> on(o, s)${isFree};
        examine/I :: at(o, I) -> at(o, I);
        examine/s :: at(P, r) & $at(s, r) & $on(o, s) -> at(P, r);
        examine/c :: at(P, r) & $at(c, r) & $open(c) & $in(o, c) -> at(P, r);
    }
    reverse_rules { inventory :: inventory; take :: drop; take/c :: insert; take/s :: put; }
    inform7 {
        predicates { in(o, I) :: "The player carries the {o}"; }
        commands {
            inventory :: "inventory" :: "taking inventory";
            take :: "take {o}" :: "taking the {o}";
            drop :: "drop {o}" :: "dropping the {o}";
            take/c :: "take {o} from {c}" :: "removing the {o} from the {c}";
            insert :: "insert {o} into {c}" :: "inserting the {o} into the {c}";
            take/s :: "take {o} from {s}" :: "removing the {o} from the {s}";
            put :: "put {o} on {s}" :: "putting the {o} on the {s}";
            examine/I :: "examine {o}" :: "examining the {o}";
            examine/s :: "examine {o}" :: "examining the {o}";
            examine/c :: "examine {o}" :: "examining the {o}";
        }
    }
}
`;
}

// Unlike in other games, no command examines a door.
const doors = `
type d : t {
    predicates { open(d); closed(d); locked(d); link(r, d, r); }
    rules {
        lock/d :: $at(P, r) & $link(r, d, r') & $link(r', d, r) & $in(k, I) & $match(k, d) & closed(d) -> locked(d);
        unlock/d :: $at(P, r) & $link(r, d, r') & $link(r', d, r) & $in(k, I) & $match(k, d) & locked(d) -> closed(d);
        open/d :: $at(P, r) & $link(r, d, r') & $link(r', d, r) & closed(d) -> open(d) & free(r, r') & free(r', r);
        close/d :: $at(P, r) & $link(r, d, r') & $link(r', d, r) & open(d) & free(r, r') & free(r', r) -> closed(d);
    }
    reverse_rules { lock/d :: unlock/d; open/d :: close/d; }
    constraints {
        d1 :: open(d) & closed(d) -> fail();
        d2 :: open(d) & locked(d) -> fail();
        d3 :: closed(d) & locked(d) -> fail();
        # A door is between two rooms, and two rooms have one door between them.
        link1 :: link(r, d, r') & link(r, d, r'') -> fail();
        link2 :: link(r, d, r') & link(r'', d, r''') -> fail();
        link3 :: link(r, d, r') & link(r, d', r') -> fail();
        # A room has at most four doors.
        dr2 :: link(r, d1: d, r1: r) & link(r, d2: d, r2: r) & link(r, d3: d, r3: r)
            & link(r, d4: d, r4: r) & link(r, d5: d, r5: r) -> fail();
        free1 :: link(r, d, r') & free(r, r') & closed(d) -> fail();
        free2 :: link(r, d, r') & free(r, r') & locked(d) -> fail();
    }
    inform7 {
        type { kind :: "door"; definition :: "door is openable and lockable."; }
        predicates {
            open(d) :: "The {d} is open";
            closed(d) :: "The {d} is closed";
            locked(d) :: "The {d} is locked";
            link(r, d, r') :: "";
        }
        commands {
            open/d :: "open {d}" :: "opening {d}";
            close/d :: "close {d}" :: "closing {d}";
            unlock/d :: "unlock {d} with {k}" :: "unlocking {d} with the {k}";
            lock/d :: "lock {d} with {k}" :: "locking {d} with the {k}";
        }
    }
}
`;

const cuts = [
  ['slice', 'slicing', 'sliced'],
  ['dice', 'dicing', 'diced'],
  ['chop', 'chopping', 'chopped'],
] as const;
const foodStates = [
  ...['edible', 'inedible', 'consumed', 'raw', 'cooked', 'burned', 'fried', 'grilled', 'roasted'],
  ...['uncut', 'sliced', 'chopped', 'diced'],
];

function food(hasSlots: boolean): string {
  const [wasUsed, isFree] = emptied(hasSlots);
  return `
type f : o {
    predicates { needs_cooking(f); ${foodStates.map((state) => `${state}(f);`).join(' ')} }
    rules {
        eat :: in(f, I) & edible(f) ${wasUsed}-> consumed(f)${isFree};
        drink :: in(f, I) & drinkable(f) ${wasUsed}-> consumed(f)${isFree};
        ${lines(cuts.map(([verb, , cut]) => `${verb} :: $in(f, I) & $in(o, I) & $sharp(o) & uncut(f) -> ${cut}(f);`))}
    }
    constraints {
        consumed1 :: consumed(f) & in(f, I) -> fail();
        consumed2 :: consumed(f) & in(f, c) -> fail();
        consumed3 :: consumed(f) & on(f, s) -> fail();
        consumed4 :: consumed(f) & at(f, r) -> fail();
    }
    inform7 {
        type {
            kind :: "food";
            definition :: "${sentences(
              ...['food is usually edible', 'food is cookable', 'food is usually cuttable'],
              ...['food has a type of cooking', 'food has a type of cutting', 'food can be cooked'],
              ...['food can be burned', 'food can be consumed', 'food is usually not consumed'],
            )}";
        }
        predicates {
            needs_cooking(f) :: "The {f} is needs cooking";
            ${lines(foodStates.map((state) => `${state}(f) :: "The {f} is ${state}";`))}
        }
        commands {
            eat :: "eat {f}" :: "eating the {f}";
            drink :: "drink {f}" :: "drinking the {f}";
            ${lines(cuts.map(([verb, doing]) => `${verb} :: "${verb} {f} with {o}" :: "${doing} the {f} with the {o}";`))}
        }
        code :: """${foodCode}""";
    }
}

type meal : f {
    inform7 { type { kind :: "meal-like"; } }
}
`;
}

/** Something to cook with. Cooking what is cooked burns it. */
function heatSource(type: string, parent: string, result: string): string {
  const here = `$at(P, r) & $at(${type}, r) & $in(f, I)`;
  const rules = [
    ['burned', 'cooked(f) & edible(f) -> burned(f) & inedible(f)'],
    ['cooked/raw', `raw(f) -> ${result}(f) & cooked(f)`],
    ['cooked/needs_cooking', `needs_cooking(f) & inedible(f) -> ${result}(f) & edible(f) & cooked(f)`],
  ] as const;
  const command = `"cook {f} with {${type}}" :: "cooking the {f} with the {${type}}"`;
  return `
type ${type} : ${parent} {
    rules {
            ${lines(rules.map(([name, change]) => `cook/${type}/${name} :: ${here} & ${change};`))}
    }
    inform7 {
        type { kind :: "${type}-like"; definition :: "${type}-like is a source of heat."; }
        commands {
            ${lines(rules.map(([name]) => `cook/${type}/${name} :: ${command};`))}
        }
    }
}
`;
}

const ingredientStates = ['raw', 'fried', 'grilled', 'roasted', 'uncut', 'sliced', 'chopped', 'diced'];
const counts = [1, 2, 3, 4, 5];

/** How a meal of a number of ingredients is prepared: they vanish and the meal is there. */
function recipeRule(count: number, hasSlots: boolean): string {
  const placeholders = (name: string): string[] => counts.slice(0, count).map((_, index) => name + "'".repeat(index));
  const foods = placeholders('f');
  // One slot stays used by the meal.
  const [, ...freed] = hasSlots ? placeholders('slot') : [];
  const used = freed.map((slot) => `used(${slot})`);
  // The original names a slot twice in a recipe of four, so that another becomes free that may still be used. That
  // changes nothing before the meal is eaten; it is kept to have the same states.
  if (count === 4 && hasSlots) used[2] = used[1] as string;
  const before = [
    '$player_in_cooking_location(P, r)',
    ...foods.map((food, index) => `in(${food}, I) & $ingredient_${index + 1}(${food})`),
    '$out(meal, RECIPE)',
    ...(freed.length > 0 ? ['$used(slot)', ...used] : []),
  ];
  const after = [
    ...['in(meal, I)', ...freed.map((slot) => `free(${slot})`), 'edible(meal)'],
    ...[...foods.map((food) => `used(${food})`), 'raw(meal)'],
  ];
  return `make/recipe/${count} :: ${before.join(' & ')} -> ${after.join(' & ')};`;
}

function recipes(hasSlots: boolean): string {
  return `
type ingredient : t {
    predicates { base(f, ingredient); ${ingredientStates.map((state) => `${state}(ingredient);`).join(' ')} }
    inform7 {
        type {
            kind :: "ingredient-like";
            definition :: "${sentences(
              ...['ingredient-like has a thing called base', 'ingredient-like has a type of cooking'],
              'ingredient-like has a type of cutting',
            )}";
        }
        predicates {
            base(f, ingredient) :: "The base of {ingredient} is {f}";
            ${lines(ingredientStates.map((state) => `${state}(ingredient) :: "The {ingredient} is ${state}";`))}
        }
    }
}

type RECIPE {
    predicates {
        ${counts.map((number) => `ingredient_${number}(f);`).join(' ')}
        used(f);
        cooking_location(r, RECIPE);
        in(ingredient, RECIPE);
        out(meal, RECIPE);
        player_in_cooking_location(P, r) = at(P, r) & cooking_location(r, RECIPE);
    }
    rules {
            ${lines(counts.map((count) => recipeRule(count, hasSlots)))}
    }
    inform7 {
        type {
            kind :: "recipe-like";
            definition :: "${sentences(
              ...['A recipe-like is a kind of thing', 'A recipe-like has a list of ingredient-like called ingredients'],
              ...['A recipe-like has a thing called meal', 'A recipe-like has a room called cooking location'],
            )}";
        }
        predicates {
            ${lines(counts.map((number) => `ingredient_${number}(f) :: "";`))}
            cooking_location(r, RECIPE) :: "The cooking location of the {RECIPE} is the {r}.";
            in(ingredient, RECIPE) :: "When play begins, add {ingredient} to the ingredients of the {RECIPE}";
            out(meal, RECIPE) :: "The meal of the {RECIPE} is the {meal}.";
        }
        commands {
            ${lines(counts.map((count) => `make/recipe/${count} :: "prepare meal" :: "preparing meal";`))}
        }
        code :: """${recipeCode}""";
    }
}
`;
}
