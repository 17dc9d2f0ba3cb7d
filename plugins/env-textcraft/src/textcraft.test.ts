import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import type { Environment, Random, TaskSource } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';

import { craftingBook, type Recipe } from './crafting-book.js';
import { recipeTexts } from './data/recipes.js';
import contributions from './index.js';
import { validate, type Options } from './options.js';
import { planCrafting } from './plan-crafting.js';
import { create, tasks } from './textcraft.js';

const plain: Options = {
  depths: [1, 2, 3, 4],
  longestPlan: null,
  distractors: 10,
  alternatives: true,
  names: 'spaced',
  renamed: 0,
};
const host = testHost();
const splitNames = ['train', 'validation', 'test'] as const;

const make = (options: Partial<Options> = {}): Environment => create({ ...plain, ...options }, host);
const idsOf = (source: TaskSource): string[] =>
  Array.from({ length: Number(source.count) }, (_, index) => source.id(index));
const allTasks = (options: Partial<Options> = {}) =>
  splitNames.flatMap((split) => idsOf(tasks({ ...plain, ...options })[split]));
const reset = (environment: Environment, task: string) => environment.reset(task, { random: host.random }) as string;
const step = (environment: Environment, action: string) =>
  environment.step(action) as Exclude<ReturnType<Environment['step']>, PromiseLike<unknown>>;
const commandsOf = (observation: string) => observation.split('\n\n')[0]!.split('\n').slice(1);

function playOracle(
  environment: Environment,
  random: Random,
  limit = 60,
): { actions: string[]; last: ReturnType<typeof step> } {
  const actions: string[] = [];
  for (;;) {
    const action = environment.experts!['oracle']!(random) as string;
    actions.push(action);
    const last = step(environment, action);
    if (last.terminated || actions.length === limit) return { actions, last };
  }
}

describe('the book', () => {
  it('has 612 recipes of 544 goals, 125, 291, 117 and 11 in the four depths, and 676 items', () => {
    expect(recipeTexts).toHaveLength(612);
    expect(craftingBook.items.size).toBe(676);
    const depths = [...craftingBook.recipesOf.keys()].map((goal) => craftingBook.depthOf.get(goal));
    expect([1, 2, 3, 4].map((depth) => depths.filter((value) => value === depth).length)).toEqual([125, 291, 117, 11]);
  });

  it('has the very texts of the original', () => {
    // SHA-256 of the distinct recipe texts recorded from the original, sorted.
    const digest = createHash('sha256')
      .update([...recipeTexts].sort().join('\n'))
      .digest('hex');
    expect(digest).toBe('958f5197c78bcbef9bb60ead7fe97c3ca77e41e77f946910f6544577449ea510');
  });

  it('is what the generator writes', (context) => {
    try {
      createRequire(import.meta.url).resolve('minecraft-data/package.json');
    } catch {
      context.skip('minecraft-data is not installed');
    }
    const script = fileURLToPath(new URL('../scripts/generate-recipes.js', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('tasks', () => {
  it('cover all 544 goals, each once, with a fifth and a tenth of every depth held out', () => {
    const splits = tasks(plain);
    const ids = splitNames.map((split) => idsOf(splits[split]));
    expect(new Set(ids.flat()).size).toBe(544);
    // Where a goal belongs is for ever: results of different versions would not compare otherwise.
    expect(ids.map((list) => list[0])).toEqual([
      'depth-3/polished-blackstone-brick-slab',
      'depth-3/polished-diorite-stairs',
      'depth-2/golden-axe',
    ]);
    expect(createHash('sha256').update(JSON.stringify(ids)).digest('hex')).toBe('56fa320fb2e70382bbab2c44ad2f282c9f9bc6e38ab7014a84e47d67c47e405b');
    const perDepth = ids.map((list) =>
      [1, 2, 3, 4].map((depth) => list.filter((id) => id.startsWith(`depth-${depth}/`)).length),
    );
    expect(perDepth).toEqual([
      [87, 204, 82, 8],
      [13, 29, 12, 1],
      [25, 58, 23, 2],
    ]);
  });

  it('stay in their split whatever the options', () => {
    const whole = tasks(plain);
    for (const options of [{ depths: [2] }, { longestPlan: 4 }, { depths: [3, 4], longestPlan: 20, renamed: 0.3 }]) {
      const part = tasks({ ...plain, ...options });
      for (const split of ['validation', 'test'] as const) {
        expect(idsOf(whole[split])).toEqual(expect.arrayContaining(idsOf(part[split])));
      }
      const index = Array.from({ length: 500 }, (_, at) =>
        part.train.id(part.train.count === 'unbounded' ? at : at % part.train.count),
      );
      const training = new Set(idsOf(whole.train));
      expect(index.every((id) => training.has(id.split('#')[0]!))).toBe(true);
    }
  });

  it('keep to the depths and to the longest plan', () => {
    expect(allTasks({ depths: [4] })).toHaveLength(11);
    const short = allTasks({ longestPlan: 3 });
    expect(short.length).toBeGreaterThan(100);
    const lengths = allTasks().map(
      (id) => planCrafting(id.split('/')[1]!.replaceAll('-', ' '), new Map()).turns.length,
    );
    expect(short).toHaveLength(lengths.filter((length) => length <= 3).length);
    expect(Math.max(...lengths)).toBe(contributions[0]?.maxTurns);
    expect(() => tasks({ ...plain, depths: [4], longestPlan: 3 })).toThrow('raise longestPlan');
    expect(validate({ ...plain, depths: [] })).toMatchObject([{ path: ['depths'] }]);
    expect(validate(plain)).toEqual([]);
  });

  it('are one cluster where they are one puzzle up to the names', () => {
    const { cluster } = tasks(plain);
    expect(cluster!('depth-2/oak-boat')).toBe(cluster!('depth-2/acacia-boat'));
    expect(cluster!('depth-2/oak-boat')).toBe(cluster!('depth-2/oak-boat#renamed-4'));
    expect(cluster!('depth-2/oak-boat')).not.toBe(cluster!('depth-2/oak-button'));
  });

  it.each([
    '',
    'oak-boat',
    'depth-1/oak-boat',
    'depth-2/oak-boat#',
    'depth-2/oak-boat#-1',
    'depth-2/oak-boat#renamed',
    '__proto__',
  ])('do not include %j', (id) => {
    expect(() => reset(make(), id)).toThrow('TextCraft has no task');
  });

  it('have no variants where they are held out', () => {
    const [held] = idsOf(tasks(plain).test);
    expect(() => reset(make(), `${held}#renamed-1`)).toThrow('held out');
  });
});

describe('prompts', () => {
  it('show the needed recipes and as many distractors as asked for, the same each time', () => {
    const shown = [0, 5, 10, 100].map((distractors) => commandsOf(reset(make({ distractors }), 'depth-2/oak-boat')));
    expect(shown.map((commands) => commands.length)).toEqual([2, 7, 11, 11]);
    for (const commands of shown) expect(commands).toEqual(expect.arrayContaining(shown[0]!));
    expect(shown[0]!.toSorted()).toEqual([
      'craft 1 oak boat using 5 oak planks',
      'craft 4 oak planks using 1 oak logs',
    ]);
    expect(reset(make(), 'depth-2/oak-boat')).toBe(reset(make(), 'depth-2/oak-boat'));
    expect(reset(make(), 'depth-2/oak-boat').split('\n').at(-1)).toBe('Goal: craft oak boat.');
  });

  it('show the shortest way only, without alternatives', () => {
    const [all, one] = [true, false].map((alternatives) =>
      commandsOf(reset(make({ alternatives, distractors: 0 }), 'depth-3/black-bed')),
    );
    expect(all!.length).toBeGreaterThan(one!.length);
    expect(all).toEqual(expect.arrayContaining(one!));
  });

  it('write items in words or as one word', () => {
    const environment = make({ names: 'joined' });
    expect(reset(environment, 'depth-2/oak-boat')).toContain('craft 1 oak_boat using 5 oak_planks');
    expect(step(environment, 'get 2 oak_logs').observation).toBe('Got 2 oak_logs');
    expect(step(environment, 'inventory').observation).toBe('Inventory: [oak_logs] (2) ');
  });
});

describe('the oracle', () => {
  /** Checks that every action follows a listed command, and gives what the actions were. */
  function solve(environment: Environment, task: string): string[] {
    const commands = commandsOf(reset(environment, task));
    const { actions, last } = playOracle(environment, host.random);
    expect({ task, success: last.facts.success, reward: last.reward, progress: last.facts.progress }).toEqual({
      task,
      success: true,
      reward: 1,
      progress: 1,
    });
    expect(last.facts.milestones!.reached).toBe(last.facts.milestones!.total);
    const basics = new Set(
      commands.flatMap((command) =>
        command
          .split(' using ')[1]!
          .split(', ')
          .map((part) => part.replace(/^\d+ /, '')),
      ),
    );
    for (const action of actions) {
      if (action.startsWith('get ')) expect(basics).toContain(action.replace(/^get \d+ /, ''));
      else expect(commands).toContain(action);
    }
    return actions;
  }

  it('solves all 544 goals from the listed recipes, in as many turns as it planned', () => {
    const environment = make({ distractors: 0 });
    const turns = { 1: 0, 2: 0, 3: 0, 4: 0 } as Record<number, number>;
    for (const task of allTasks()) {
      const actions = solve(environment, task);
      const goal = task.split('/')[1]!.replaceAll('-', ' ');
      expect(actions).toHaveLength(planCrafting(goal, new Map()).turns.length);
      turns[Number(task[6])]! += actions.length;
    }
    // The means of a planner that merges what it gets, as published for the original: 2.2, 5.4, 10.5 and 18.6 turns.
    expect(
      [turns[1]! / 125, turns[2]! / 291, turns[3]! / 117, turns[4]! / 11].map((mean) => Math.round(mean * 10) / 10),
    ).toEqual([2.2, 5.1, 10.2, 18.5]);
  });

  it('solves them without alternatives, with other names, and renamed', () => {
    const options = { alternatives: false, names: 'joined', renamed: 1, distractors: 2 } as const;
    const { train } = tasks({ ...plain, ...options });
    for (let index = 0; index < 400; index += 1) solve(make(options), train.id(index));
  });

  it('goes on from wherever random play has led', () => {
    const environment = make();
    for (const [index, task] of allTasks().entries()) {
      if (index % 5 !== 0) continue;
      reset(environment, task);
      const random = host.random.stream('random play', task);
      let ended = false;
      for (let turn = 0; turn < 25 && !ended; turn += 1)
        ended = step(environment, environment.sampleAction(random)).terminated;
      if (!ended)
        expect(playOracle(environment, random, 100).last.facts, task).toMatchObject({ success: true, progress: 1 });
    }
  });

  it('finds no longer way than a search of every state does', () => {
    // Breadth first over inventories, for goals whose worlds are small: independent of the planner.
    for (const goal of ['oak boat', 'oak button', 'bowl', 'lever', 'torch', 'ladder']) {
      expect(planCrafting(goal, new Map()).turns.length, goal).toBe(shortestBySearch(goal));
    }
  });

  it('names the items where several kinds are carried', () => {
    const environment = make();
    reset(environment, 'depth-1/stick');
    for (const action of [
      'get 1 oak logs',
      'craft 4 oak planks using 1 oak logs',
      'get 1 birch logs',
      'craft 4 birch planks using 1 birch logs',
    ])
      step(environment, action);
    expect(environment.experts!['oracle']!(host.random)).toBe('craft 4 stick using 2 birch planks');
  });
});

describe('facts', () => {
  it('count the share of the plan, which never falls, and the things that it crafts', () => {
    const environment = make();
    reset(environment, 'depth-2/oak-boat');
    const facts = [
      'get 2 oak logs',
      'craft 4 oak planks using 1 oak logs',
      'inventory',
      'craft 4 stick using 2 planks',
      'craft oak planks using 1 oak logs',
    ].map((action) => step(environment, action).facts);
    expect(facts.map(({ progress }) => progress)).toEqual([0.25, 0.5, 0.5, 0.5, 0.75]);
    expect(facts.map(({ milestones }) => milestones!.reached)).toEqual([0, 1, 1, 1, 1]);
    expect(facts[0]).toMatchObject({ success: false, invalid: false, milestones: { total: 2 }, details: { depth: 2 } });
  });

  it.each([
    ['get 1 unobtainium', 'unknown-item', 'Could not find unobtainium'],
    ['get 1 oak planks', 'not-to-be-had', 'Could not find oak planks'],
    ['get 1 planks', 'not-to-be-had', 'Could not find planks'],
    ['get 1 oak boat', 'not-to-be-had', 'Could not find oak boat'],
    ['get 0 oak log', 'grammar', 'Could not execute get 0 oak log'],
    ['get 99999 oak log', 'grammar', 'Could not execute get 99999 oak log'],
    ['get oak log', 'grammar', 'Could not execute get oak log'],
    ['inventory please', 'grammar', 'Could not execute inventory please'],
    ['get 1 oak logs\nget 1 oak logs', 'grammar', 'Could not execute get 1 oak logs?get 1 oak logs'],
    ['craft 4 oak planks using oak logs', 'grammar', 'Wrong item format: oak logs'],
    ['craft 4 sticks using 2 planks', 'missing-items', 'Could not find enough items to craft sticks'],
    ['craft 4 oak planks using 2 coal', 'no-recipe', 'Could not find a valid recipe for oak planks'],
    ['craft 4 oak planks using 1 oak log', 'missing-items', 'Could not find enough items to craft oak planks'],
    ['craft 1 bogus using 1 coal', 'no-recipe', 'Could not find a valid recipe for bogus'],
  ])('flag %j as invalid: %s', (action, refused, observation) => {
    const environment = make();
    reset(environment, 'depth-2/oak-boat');
    step(environment, 'get 2 coal');
    const key = environment.stateKey!();
    expect(step(environment, action)).toMatchObject({
      observation,
      reward: 0,
      facts: { invalid: true, details: { refused } },
    });
    expect(environment.stateKey!()).toBe(key);
  });
});

describe('crafting', () => {
  function craft(...actions: string[]): string {
    const environment = make();
    reset(environment, 'depth-2/ladder');
    return actions.map((action) => step(environment, action).observation).at(-1)!;
  }
  const planks = [
    'get 1 oak logs',
    'craft 4 oak planks using 1 oak logs',
    'get 1 birch logs',
    'craft 4 birch planks using 1 birch logs',
  ];

  it('takes items for a general ingredient by their names, by its name, and several kinds together', () => {
    expect(craft(...planks, 'craft 4 stick using 2 birch planks', 'inventory')).toBe(
      'Inventory: [oak planks] (4) [birch planks] (2) [stick] (4) ',
    );
    expect(craft(...planks, 'craft 4 stick using 2 planks', 'inventory')).toBe(
      'Inventory: [oak planks] (2) [birch planks] (4) [stick] (4) ',
    );
    expect(craft(...planks, 'craft 4 stick using 1 oak planks, 1 birch planks', 'inventory')).toBe(
      'Inventory: [oak planks] (3) [birch planks] (3) [stick] (4) ',
    );
    expect(craft(...planks, 'craft 1 crafting table using 6 planks')).toBe(
      'Could not find a valid recipe for crafting table',
    );
    expect(craft(...planks, 'craft 1 chest using 8 planks', 'inventory')).toBe('Inventory: [chest] (1) ');
  });

  it('does not count one thing twice', () => {
    expect(
      craft('get 1 oak logs', 'craft 4 oak planks using 1 oak logs', 'craft 1 chest using 4 oak planks, 4 planks'),
    ).toBe('Could not find enough items to craft chest');
    expect(craft('get 1 bamboo', 'craft 1 stick using 1 bamboo, 1 bamboo')).toBe(
      'Could not find enough items to craft stick',
    );
    expect(craft('get 2 bamboo', 'craft 1 stick using 1 bamboo, 1 bamboo')).toBe('Crafted 1 stick');
  });

  it('makes what the recipe makes, whatever number was written', () => {
    expect(craft('get 1 oak logs', 'craft 99 oak planks using 1 oak logs')).toBe('Crafted 4 oak planks');
    expect(craft('get 1 oak logs', 'craft oak_planks using 1 oak logs')).toBe('Crafted 4 oak planks');
  });
});

describe('renamed tasks', () => {
  const { train } = tasks({ ...plain, renamed: 0.5 });

  it('make up their share of an unbounded training split, in which no task comes twice', () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => train.id(index));
    expect(train.count).toBe('unbounded');
    expect(new Set(ids).size).toBe(2_000);
    expect(ids.filter((id) => id.includes('#renamed-')).length / 2_000).toBeCloseTo(0.5, 1);
  });

  it('swap all names but those of planks and wool, by the id alone', () => {
    const environment = make({ distractors: 0 });
    const [real, first, second] = ['', '#renamed-1', '#renamed-2'].map((variant) =>
      reset(environment, `depth-2/oak-boat${variant}`),
    );
    expect(first).not.toBe(second);
    expect(reset(make({ distractors: 0 }), 'depth-2/oak-boat#renamed-1')).toBe(first);
    for (const observation of [first!, second!]) {
      expect(observation).not.toContain('oak boat');
      expect(observation).not.toContain('oak logs');
      expect(observation).toContain('oak planks');
      const names = observation.matchAll(/\d+ ([a-z ]+?)(?= using|,|$)/gm);
      for (const [, name] of names)
        expect(craftingBook.items.has(name!) || craftingBook.membersOf.has(name!), name).toBe(true);
    }
    expect(real).toContain('oak boat');
  });

  it('show other distractors in another order where the names stay', () => {
    expect(reset(make(), 'depth-2/oak-boat#3')).not.toBe(reset(make(), 'depth-2/oak-boat'));
  });
});

/** Fewest turns to a goal by breadth-first search over inventories: any recipe, any useful amount of a basic item in one turn. */
function shortestBySearch(goal: string): number {
  const most = 6;
  const relevant = new Set<Recipe>();
  const basics = new Set<string>();
  const visit = (name: string): void => {
    for (const item of craftingBook.membersOf.get(name)?.filter((member) => /acacia|oak planks/.test(member)) ?? [
      name,
    ]) {
      const recipes = craftingBook.recipesOf.get(item);
      if (recipes === undefined) basics.add(item);
      for (const recipe of recipes ?? []) {
        if (relevant.has(recipe)) continue;
        relevant.add(recipe);
        for (const ingredient of recipe.ingredients) visit(ingredient.name);
      }
    }
  };
  visit(goal);
  const text = (stock: ReadonlyMap<string, number>) =>
    JSON.stringify([...stock].filter(([, count]) => count > 0).sort());
  let edge = [new Map<string, number>()];
  const seen = new Set(edge.map(text));
  for (let turns = 1; ; turns += 1) {
    const next: Map<string, number>[] = [];
    for (const stock of edge) {
      for (const item of basics) {
        if ((stock.get(item) ?? 0) > 0) continue;
        for (let count = 1; count <= most; count += 1) next.push(new Map(stock).set(item, count));
      }
      for (const recipe of relevant) {
        for (const paid of payments(stock, recipe)) {
          if (recipe.output.name === goal) return turns;
          next.push(paid.set(recipe.output.name, (paid.get(recipe.output.name) ?? 0) + recipe.output.count));
        }
      }
    }
    edge = next.filter((stock) => seen.size < seen.add(text(stock)).size);
  }
}

/** What is left of a stock after each way to pay for a recipe with one kind for each ingredient. */
function payments(stock: ReadonlyMap<string, number>, recipe: Recipe): Map<string, number>[] {
  let ways = [new Map(stock)];
  for (const { name, count } of recipe.ingredients) {
    ways = ways.flatMap((way) =>
      (craftingBook.membersOf.get(name) ?? [name])
        .filter((item) => (way.get(item) ?? 0) >= count)
        .map((item) => new Map(way).set(item, way.get(item)! - count)),
    );
  }
  return ways;
}
