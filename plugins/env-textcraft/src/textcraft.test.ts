import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { allTasks, make, commandsOf } from './fixtures/play.js';

describe('prompts', () => {
  it('show the needed recipes and as many distractors as asked for, the same each time', () => {
    const shown = [0, 5, 10, 100].map((distractors) => commandsOf(make({ distractors }).reset('depth-2/oak-boat')));
    expect(shown.map((commands) => commands.length)).toEqual([2, 7, 11, 11]);
    for (const commands of shown) expect(commands).toEqual(expect.arrayContaining(shown[0]!));
    expect(shown[0]!.toSorted()).toEqual([
      'craft 1 oak boat using 5 oak planks',
      'craft 4 oak planks using 1 oak logs',
    ]);
    expect(make().reset('depth-2/oak-boat')).toBe(make().reset('depth-2/oak-boat'));
    expect(make().reset('depth-2/oak-boat').split('\n').at(-1)).toBe('Goal: craft oak boat.');
  });

  it('show the shortest way only, without alternatives', () => {
    const [all, one] = [true, false].map((alternatives) =>
      commandsOf(make({ alternatives, distractors: 0 }).reset('depth-3/black-bed')),
    );
    expect(all!.length).toBeGreaterThan(one!.length);
    expect(all).toEqual(expect.arrayContaining(one!));
  });

  it('write items in words or as one word', () => {
    const environment = make({ names: 'joined' });
    expect(environment.reset('depth-2/oak-boat')).toContain('craft 1 oak_boat using 5 oak_planks');
    expect(environment.step('get 2 oak_logs').observation).toBe('Got 2 oak_logs');
    expect(environment.step('inventory').observation).toBe('Inventory: [oak_logs] (2) ');
  });
});

describe('facts', () => {
  it('count the share of the plan, which never falls, and the things that it crafts', () => {
    const environment = make();
    environment.reset('depth-2/oak-boat');
    const facts = [
      'get 2 oak logs',
      'craft 4 oak planks using 1 oak logs',
      'inventory',
      'craft 4 stick using 2 planks',
      'craft oak planks using 1 oak logs',
    ].map((action) => environment.step(action).facts);
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
    environment.reset('depth-2/oak-boat');
    environment.step('get 2 coal');
    const key = environment.stateKey();
    expect(environment.step(action)).toMatchObject({
      observation,
      reward: 0,
      facts: { invalid: true, details: { refused } },
    });
    expect(environment.stateKey()).toBe(key);
  });
});

describe('crafting', () => {
  function craft(...actions: string[]): string {
    const environment = make();
    environment.reset('depth-2/ladder');
    return actions.map((action) => environment.step(action).observation).at(-1)!;
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

describe('the demonstrator', () => {
  it('follows the plan with detours: short horizons hold some of its successes, long ones most', () => {
    const environment = make();
    const { random } = testHost(1);
    const turns = allTasks({ depths: [1, 2] }).map((task) => {
      environment.reset(task);
      for (let turn = 1; turn <= 40; turn += 1) {
        const { terminated, facts } = environment.step(environment.act('demonstrator', { random }));
        expect(facts.invalid).toBe(false);
        if (terminated) return turn;
      }
      return Infinity;
    });
    const within = (horizon: number) => turns.filter((count) => count <= horizon).length / turns.length;
    expect(within(6)).toBeCloseTo(0.56, 1);
    expect(within(12)).toBeCloseTo(0.92, 1);
    expect(within(40)).toBeGreaterThan(0.99);
  });
});
