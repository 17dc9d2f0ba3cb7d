import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { aboutTask } from './about-task.js';
import { craftingBook } from './crafting-book.js';
import { validate } from './options.js';
import { planCrafting } from './plan-crafting.js';
import { listTasks } from './task-list.js';
import { open } from './textcraft.js';
import { plain, splitNames, make, idsOf, allTasks } from './fixtures/play.js';

describe('tasks', () => {
  it('cover all 544 goals, each once, with a fifth and a tenth of every depth held out', () => {
    const splits = listTasks(plain);
    const ids = splitNames.map((split) => idsOf(splits[split]));
    expect(new Set(ids.flat()).size).toBe(544);
    // Where a goal belongs is for ever: results of different versions would not compare otherwise.
    expect(ids.map((list) => list[0])).toEqual([
      'depth-3/polished-blackstone-brick-slab',
      'depth-3/polished-diorite-stairs',
      'depth-2/golden-axe',
    ]);
    expect(createHash('sha256').update(JSON.stringify(ids)).digest('hex')).toBe(
      '56fa320fb2e70382bbab2c44ad2f282c9f9bc6e38ab7014a84e47d67c47e405b',
    );
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
    const whole = listTasks(plain);
    for (const options of [{ depths: [2] }, { longestPlan: 4 }, { depths: [3, 4], longestPlan: 20, renamed: 0.3 }]) {
      const part = listTasks({ ...plain, ...options });
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
    expect(Math.max(...lengths)).toBe(open(plain).maxTurns);
    expect(() => listTasks({ ...plain, depths: [4], longestPlan: 3 })).toThrow('raise longestPlan');
    expect(validate({ ...plain, depths: [] })).toMatchObject([{ path: ['depths'] }]);
    expect(validate(plain)).toEqual([]);
  });

  it('are one cluster where they are one puzzle up to the names', () => {
    const cluster = (id: string) => aboutTask(id).cluster;
    expect(cluster('depth-2/oak-boat')).toBe(cluster('depth-2/acacia-boat'));
    expect(cluster('depth-2/oak-boat')).toBe(cluster('depth-2/oak-boat#renamed-4'));
    expect(cluster('depth-2/oak-boat')).not.toBe(cluster('depth-2/oak-button'));
  });

  it('are labelled by their depth and the turns of the oracle, which are the same without alternatives', () => {
    for (const alternatives of [true, false]) {
      const environment = make({ alternatives, distractors: 0 });
      for (const id of allTasks()) {
        environment.reset(id);
        const { depth, turns } = aboutTask(id).labels!;
        const { details } = environment.step('inventory').facts;
        expect({ id, depth, turns }).toEqual({ id, depth: details!['depth'], turns: details!['remaining'] });
      }
    }
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
    expect(() => make().reset(id)).toThrow('TextCraft has no task');
  });

  it('have no variants where they are held out', () => {
    const [held] = idsOf(listTasks(plain).test);
    expect(() => make().reset(`${held}#renamed-1`)).toThrow('held out');
  });
});

describe('renamed tasks', () => {
  const { train } = listTasks({ ...plain, renamed: 0.5 });

  it('make up their share of an unbounded training split, in which no task comes twice', () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => train.id(index));
    expect(train.count).toBe('unbounded');
    expect(new Set(ids).size).toBe(2_000);
    expect(ids.filter((id) => id.includes('#renamed-')).length / 2_000).toBeCloseTo(0.5, 1);
  });

  it('swap all names but those of planks and wool, by the id alone', () => {
    const environment = make({ distractors: 0 });
    const [real, first, second] = ['', '#renamed-1', '#renamed-2'].map((variant) =>
      environment.reset(`depth-2/oak-boat${variant}`),
    );
    expect(first).not.toBe(second);
    expect(make({ distractors: 0 }).reset('depth-2/oak-boat#renamed-1')).toBe(first);
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
    expect(make().reset('depth-2/oak-boat#3')).not.toBe(make().reset('depth-2/oak-boat'));
  });
});
