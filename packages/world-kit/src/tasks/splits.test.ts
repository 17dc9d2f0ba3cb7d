import { createHash } from 'node:crypto';

import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { digestOf, splitOfDigest } from './digest.js';
import { splitByHash } from './split-by-hash.js';
import { eachSplit, listTasks, splitNames, unknownTask } from './task-list.js';

const names = Array.from({ length: 20_000 }, (_, number) => `task-${number}`);
const shareOf = (splits: readonly string[]) =>
  splitNames.map((name) => splits.filter((split) => split === name).length / splits.length);

describe('a split by hash', () => {
  it('is three fifths, a fifth and a fifth of the names', () => {
    for (const [place, share] of shareOf(names.map((name) => splitByHash(name))).entries()) {
      expect(share).toBeCloseTo([0.6, 0.2, 0.2][place]!, 1.7);
    }
  });

  it('has the shares that are asked for, whatever their sum', () => {
    const splits = names.map((name) => splitByHash(name, { shares: { train: 70, test: 30 } }));
    expect(splits).not.toContain('validation');
    expect(shareOf(splits)[0]).toBeCloseTo(0.7, 1.7);
    expect(new Set(names.map((name) => splitByHash(name, { shares: { validation: 0.1 } })))).toEqual(
      new Set(['validation']),
    );
  });

  it('is the same for ever', () => {
    const splits = names.slice(0, 12).map((name) => splitByHash(name));
    expect(splits.map((split) => split.slice(0, 2)).join(' ')).toBe('tr te te tr va te tr tr tr tr tr tr');
    expect(splitByHash('FloorPlan329')).toBe('train');
  });

  it('moves names between neighbours only, if a share changes', () => {
    const before = names.map((name) => splitByHash(name, { shares: { train: 8, validation: 1, test: 1 } }));
    const after = names.map((name) => splitByHash(name, { shares: { train: 7, validation: 2, test: 1 } }));
    const moved = before.flatMap((split, place) => (split === after[place] ? [] : [`${split} ${after[place]}`]));
    expect(new Set(moved)).toEqual(new Set(['train validation']));
  });

  it('is another for another seed, and does not follow the first', () => {
    const [zero, one] = [0, 1].map((seed) => names.map((name) => splitByHash(name, { seed })));
    const same = zero!.filter((split, place) => split === one![place]).length / names.length;
    // Independent assignments agree in 0.6 ** 2 + 2 * 0.2 ** 2 of the names.
    expect(same).toBeCloseTo(0.44, 1.7);
  });

  it.each([{}, { train: 0 }, { train: -1, test: 2 }, { train: Number.NaN }])('refuses the shares %j', (shares) => {
    expect(() => splitByHash('a', { shares })).toThrow('shares of splits are 0 or more, and not all 0');
  });
});

describe('a digest', () => {
  it('is the beginning of SHA-256 over all parts', () => {
    expect(digestOf('ab', new Uint8Array([99]))).toBe(createHash('sha256').update('abc').digest('hex').slice(0, 16));
  });

  it('has a split by its first eight digits', () => {
    const splits = ['00000000', '00000001', '00000002', '00000003', '00000004', 'ffffffff'].map((first) =>
      splitOfDigest(`${first}ffffffff`),
    );
    expect(splits).toEqual(['train', 'train', 'train', 'validation', 'test', 'train']);
    expect(shareOf(names.map((name) => splitOfDigest(digestOf(name))))[0]).toBeCloseTo(0.6, 1.7);
  });
});

it('there is one value for each split', () => {
  expect(eachSplit((split) => split.length)).toEqual({ train: 5, validation: 10, test: 4 });
});

describe('tasks of a list', () => {
  const list = listTasks([3, 5], (side) => `side-${side}`);

  it('are at their places, and drawn from all', () => {
    expect([list.count, list.id(0), list.id(1)]).toEqual([2, 'side-3', 'side-5']);
    const { random } = testHost(1);
    expect(new Set(Array.from({ length: 30 }, () => list.random(random)))).toEqual(new Set(['side-3', 'side-5']));
  });

  it.each([2, -1, 0.5])('end: place %d', (place) => {
    expect(() => list.id(place)).toThrow(
      new RangeError(`there are only 2 tasks, so there is no task at place ${place}`),
    );
  });
});

it('an unknown id is named, cut where it is long', () => {
  expect(unknownTask('a"b', 'a task of Dice', 'side-3').message).toBe(
    '"a\\"b" is not a task of Dice; ids look like side-3',
  );
  expect(unknownTask('x'.repeat(1e6), 'a task', 'y').message).toBe(
    `"${'x'.repeat(100)}" is not a task; ids look like y`,
  );
});
