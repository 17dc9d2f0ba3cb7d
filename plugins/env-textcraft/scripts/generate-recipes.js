// Writes src/data/recipes.ts from minecraft-data. That package has the recipes of Minecraft Java 1.16 without tags:
// every alternative ingredient is a separate recipe. The rules below join the alternatives again, as the original reads
// them from the game's files. `--check` writes nothing and fails if the file is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const target = new URL('../src/data/recipes.ts', import.meta.url);

const woods = ['acacia', 'birch', 'dark_oak', 'jungle', 'oak', 'spruce'];
const fungi = ['crimson', 'warped'];
const colours =
  'black blue brown cyan gray green light_blue light_gray lime magenta orange pink purple red white yellow'.split(' ');
const tools = ['axe', 'hoe', 'pickaxe', 'shovel', 'sword'];

const logsOf = (wood) => [`${wood}_log`, `${wood}_wood`, `stripped_${wood}_log`, `stripped_${wood}_wood`];
const stemsOf = (fungus) => [
  `${fungus}_stem`,
  `${fungus}_hyphae`,
  `stripped_${fungus}_stem`,
  `stripped_${fungus}_hyphae`,
];
const withSuffix = (names, suffix) => names.map((name) => `${name}_${suffix}`);

/**
 * Ingredients that any of their members can replace: [name, members, outputs that use them (default: all)]. Wider ones
 * come first.
 */
const tags = [
  ['logs', [...woods.flatMap(logsOf), ...fungi.flatMap(stemsOf)]],
  ...woods.map((wood) => [`${wood}_logs`, logsOf(wood)]),
  ...fungi.map((fungus) => [`${fungus}_stems`, stemsOf(fungus)]),
  ['planks', withSuffix([...woods, ...fungi], 'planks')],
  ['wooden_slabs', withSuffix([...woods, ...fungi], 'slab')],
  ['wool', withSuffix(colours, 'wool')],
  ['soul_fire_base_blocks', ['soul_sand', 'soul_soil']],
  ['stone_tool_materials', ['cobblestone', 'blackstone'], tools.map((tool) => `stone_${tool}`)],
  ['stone_crafting_materials', ['cobblestone', 'blackstone']],
  ['coals', ['coal', 'charcoal'], ['campfire']],
];

/** Alternatives that the original never takes: if the game lists alternatives without a tag, it takes the first. */
const passedOver = [
  ['charcoal', ['torch', 'soul_torch', 'fire_charge']],
  ['red_sand', ['tnt']],
  ['chiseled_sandstone', ['sandstone_slab', 'sandstone_stairs', 'cut_sandstone']],
  ['cut_sandstone', ['sandstone_slab', 'sandstone_stairs']],
  ['chiseled_red_sandstone', ['red_sandstone_slab', 'red_sandstone_stairs', 'cut_red_sandstone']],
  ['cut_red_sandstone', ['red_sandstone_slab', 'red_sandstone_stairs']],
  ['chiseled_quartz_block', ['quartz_slab', 'quartz_stairs']],
  ['quartz_pillar', ['quartz_slab', 'quartz_stairs']],
  ['purpur_pillar', ['purpur_slab', 'purpur_stairs']],
];

/** Recipes that the original leaves out because they would close a cycle: output, ingredient. */
const cycles = [
  ['gold_nugget', 'gold_ingot'],
  ['iron_nugget', 'iron_ingot'],
  ['honey_bottle', 'honey_block'],
];

/**
 * Ingredients that the game's files name first, by output. Other ingredients have the order of the pattern, from its
 * first row.
 */
const namedFirst = [
  [/_(?:axe|hoe|pickaxe|shovel|sword|fence)$|^rail$|^torch$|^arrow$|^redstone_torch$/, ['stick']],
  [/^activator_rail$/, ['redstone_torch', 'stick']],
  [/^detector_rail$/, ['redstone', 'stone_pressure_plate']],
  [/^powered_rail$/, ['redstone', 'stick']],
  [/^(?:dispenser|dropper)$/, ['redstone', 'cobblestone']],
  [/^observer$/, ['quartz', 'redstone']],
  [/^beacon$/, ['nether_star']],
  [/^blast_furnace$/, ['smooth_stone', 'furnace']],
  [/^cake$/, ['milk_bucket', 'sugar', 'wheat']],
  [/^chain$/, ['iron_ingot']],
  [/^crossbow$/, ['string', 'stick']],
  [/^enchanting_table$/, ['book', 'obsidian']],
  [/^end_crystal$/, ['ghast_tear', 'ender_eye']],
  [/^(?:hopper|shulker_box)$/, ['chest']],
  [/^lantern$/, ['torch']],
  [/^soul_lantern$/, ['soul_torch']],
  [/^lever$/, ['cobblestone']],
  [/^red_nether_bricks$/, ['nether_wart']],
  [/^sticky_piston$/, ['piston']],
  [/^target$/, ['hay_block']],
  [/^tnt$/, ['sand']],
  [/^(?:diorite|daylight_detector)$/, ['quartz']],
  [/^piston$/, ['redstone', 'cobblestone', 'planks']],
  [/^(?:loom|cartography_table|fletching_table|smithing_table|tripwire_hook)$/, ['planks', 'stick']],
  [/campfire$/, ['logs']],
  [/^end_rod$/, ['popped_chorus_fruit']],
  [/^scaffolding$/, ['string']],
];

function readRecipes() {
  const folder = 'minecraft-data/minecraft-data/data/pc/1.16.2';
  const names = new Map(require(`${folder}/items.json`).map(({ id, name }) => [id, name]));
  return Object.values(require(`${folder}/recipes.json`))
    .flat()
    .map(({ result, inShape, ingredients }) => {
      // Patterns are stored last row first.
      const cells = ingredients ?? inShape.toReversed().flat();
      const parts = new Map();
      for (const cell of cells) if (cell !== null) parts.set(names.get(cell), (parts.get(names.get(cell)) ?? 0) + 1);
      return { output: names.get(result.id), count: result.count, parts };
    });
}

const keyOf = ({ output, count, parts }) => JSON.stringify([output, count, [...parts].sort()]);

function collapse(recipes, [name, members, outputs]) {
  const groups = new Map();
  const kept = [];
  for (const recipe of recipes) {
    const member = [...recipe.parts.keys()].find((part) => members.includes(part));
    if (member === undefined || (outputs !== undefined && !outputs.includes(recipe.output))) {
      kept.push([recipe]);
      continue;
    }
    const general = {
      ...recipe,
      parts: new Map([...recipe.parts].map(([part, n]) => [part === member ? name : part, n])),
    };
    const group = groups.get(keyOf(general)) ?? { general, recipes: [] };
    if (group.recipes.length === 0) kept.push(group.recipes);
    groups.set(keyOf(general), group);
    group.recipes.push(recipe);
  }
  for (const { general, recipes: group } of groups.values()) {
    if (group.length === members.length) group.splice(0, group.length, general);
  }
  return kept.flat();
}

function orderParts({ output, count, parts }) {
  const first = namedFirst.find(([outputs]) => outputs.test(output))?.[1] ?? [];
  const rank = (part) => (first.includes(part) ? first.indexOf(part) : first.length);
  return { output, count, parts: new Map([...parts].sort(([a], [b]) => rank(a) - rank(b))) };
}

const spaced = (name) => name.replaceAll('_', ' ');
const textOf = ({ output, count, parts }) =>
  `craft ${count} ${spaced(output)} using ${[...parts].map(([part, n]) => `${n} ${spaced(part)}`).join(', ')}`;
const byCode = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Leaves out a recipe with only one kind of block, which would undo the recipe of the block, and a recipe that closes a
 * cycle.
 */
function isKept({ output, parts }) {
  const names = [...parts.keys()];
  if (names.length === 1 && names[0].endsWith('_block')) return false;
  return !cycles.some(([cyclic, part]) => cyclic === output && parts.has(part));
}

/**
 * Ingredients that stay general. The original reads the recipe book's groups as tags, so only these two have items that
 * can be crafted (white wool is in no group). Every other tag is an item of that name, which `get` provides.
 */
const general = new Map(tags.filter(([name]) => ['planks', 'wool'].includes(name)));
general.set(
  'wool',
  general.get('wool').filter((name) => name !== 'white_wool'),
);

function generate() {
  const all = tags.reduce(collapse, readRecipes()).map(orderParts);
  const taken = all.filter(
    ({ output, parts }) => !passedOver.some(([part, outputs]) => parts.has(part) && outputs.includes(output)),
  );
  const kept = taken.filter(isKept);
  const used = new Set(kept.flatMap(({ output, parts }) => [output, ...parts.keys()]));
  const known = new Set(taken.flatMap(({ output, parts }) => [output, ...parts.keys()]));
  const unused = [...known].filter((name) => !used.has(name)).sort(byCode);
  return { recipes: kept.map(textOf).sort(byCode), unused };
}

const list = (texts, indent) => texts.map((text) => `${indent}'${text}',`).join('\n');

function render({ recipes, unused }) {
  const groups = [...general].map(
    ([name, members]) => `  ${name}: [\n${list(members.map(spaced).sort(byCode), '    ')}\n  ],`,
  );
  return `// Written by scripts/generate-recipes.js from minecraft-data (MIT), recipes of Minecraft Java 1.16; do not edit.

/** Every recipe as the agent reads it, sorted. */
export const recipeTexts: readonly string[] = [
${list(recipes, '  ')}
];

/** Ingredients that stand for any item of a kind, and the items. */
export const generalIngredients: Readonly<Record<string, readonly string[]>> = {
${groups.join('\n')}
};

/** Items that are available although no recipe needs them. */
export const unusedItems: readonly string[] = [
${list(unused.map(spaced), '  ')}
];
`;
}

const text = render(generate());
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/data/recipes.ts is stale: run node plugins/env-textcraft/scripts/generate-recipes.js');
  process.exitCode = 1;
}
