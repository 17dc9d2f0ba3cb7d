import { createHash } from 'node:crypto';

import { splitNames } from '@agentgym/world-kit';
import { describe, expect, it } from 'vitest';

import { aboutTask } from './about-task.js';
import { craftingBook, recipesBelow } from './crafting-book.js';
import { validate, type Options } from './options.js';
import { planCrafting } from './plan-crafting.js';
import { listGoals } from './task-list.js';
import { open } from './textcraft.js';
import { allTasks, drawn, idsOf, make, plain } from './fixtures/play.js';

const goalOf = (id: string): string => id.split('/')[1]!.replaceAll('-', ' ');

describe('splits', () => {
  const optionSets: Partial<Options>[] = [
    {},
    { alternatives: false },
    { longestPlan: 6 },
    ...[[1, 2], [1, 2, 3], [1], [2], [3], [4]].flatMap((depths) => [
      { depths },
      { depths, alternatives: false },
      { depths, renamed: 0.5 },
    ]),
  ];

  it.each(optionSets.map((options) => [JSON.stringify(options), options] as const))(
    'of %s share no puzzle',
    (_name, options) => {
      const splits = listGoals({ ...plain, ...options });
      const [train, validation, test] = splitNames.map(
        (split) => new Set(drawn(splits[split]).map((id) => aboutTask(id).cluster!)),
      );
      const shared = (left: Set<string>, right: Set<string>) => [...left].filter((puzzle) => right.has(puzzle));
      expect([shared(train!, validation!), shared(train!, test!), shared(validation!, test!)]).toEqual([[], [], []]);
    },
  );

  it('hold out nothing that another goal is made by way of', () => {
    const splits = listGoals(plain);
    const held = new Set([...idsOf(splits.validation), ...idsOf(splits.test)].map(goalOf));
    for (const goal of [...craftingBook.recipesOf.keys()]) {
      const onTheWay = recipesBelow(goal).map(({ output }) => output.name);
      expect(onTheWay.filter((name) => name !== goal && held.has(name))).toEqual([]);
    }
  });

  it('do not depend on the options: a task is of one split wherever it occurs', () => {
    const home = new Map<string, string>();
    for (const options of optionSets) {
      for (const split of splitNames) {
        for (const id of drawn(listGoals({ ...plain, ...options })[split])) {
          const base = id.split('#')[0]!;
          expect(home.get(base) ?? split, base).toBe(split);
          home.set(base, split);
        }
      }
    }
    expect(home.size).toBe(544);
  });
});

describe('tasks', () => {
  it('cover all 544 goals, each once, with a fifth and a tenth of them held out', () => {
    const splits = listGoals(plain);
    const ids = splitNames.map((split) => idsOf(splits[split]));
    expect(new Set(ids.flat()).size).toBe(544);
    // The split of a goal must never change, or results of different versions could not be compared.
    expect(ids.map((list) => list[0])).toEqual([
      'depth-2/spruce-trapdoor',
      'depth-3/sticky-piston',
      'depth-3/light-gray-carpet',
    ]);
    expect(createHash('sha256').update(JSON.stringify(ids)).digest('hex')).toBe(
      '150c059a31693b7df0fbb74b107cb31068f7e527871dc2a318918369ec90b749',
    );
    const perDepth = ids.map((list) =>
      [1, 2, 3, 4].map((depth) => list.filter((id) => id.startsWith(`depth-${depth}/`)).length),
    );
    expect(perDepth).toEqual([
      [105, 195, 72, 6],
      [7, 32, 15, 2],
      [13, 64, 30, 3],
    ]);
    expect(ids.map((list) => new Set(list.map((id) => aboutTask(id).cluster)).size)).toEqual([135, 30, 67]);
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
    expect(() => listGoals({ ...plain, depths: [4], longestPlan: 3 })).toThrow('raise longestPlan');
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
    expect(() => make().reset(id)).toThrow(
      `${JSON.stringify(id)} is not a task of TextCraft; ids look like depth-2/oak-boat`,
    );
  });

  it('have no variants where they are held out', () => {
    const [held] = idsOf(listGoals(plain).test);
    expect(() => make().reset(`${held}#renamed-1`)).toThrow('held out');
  });
});

describe('renamed tasks', () => {
  const { train } = listGoals({ ...plain, renamed: 0.5 });

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
