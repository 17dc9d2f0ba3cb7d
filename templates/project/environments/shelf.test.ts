import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { open } from './shelf.js';

/** Written here, so that new defaults do not break tests. */
const usual = { books: 4, spare: 1 };
const { random, signal } = testHost(3);
const call = { random, signal };

describe('shelf', () => {
  it('swaps neighbours until the books are in order', async () => {
    const shelf = await open(usual).create(call);
    expect(await shelf.reset('2 1 4 3', call)).toBe('You have 3 turns. 2 > 1 < 4 > 3');
    expect(await shelf.step('1', call)).toMatchObject({
      observation: '1 < 2 < 4 > 3',
      facts: { success: false, progress: 0.5 },
    });
    expect(await shelf.step('4', call)).toMatchObject({ terminated: false, facts: { invalid: true } });
    expect(await shelf.step('3', call)).toMatchObject({ terminated: true, facts: { success: true, progress: 1 } });
  });

  it('is lost when the turns are used up', async () => {
    const shelf = await open({ books: 3, spare: 0 }).create(call);
    await shelf.reset('1 3 2', call);
    expect(await shelf.step('1', call)).toMatchObject({
      terminated: true,
      truncated: false,
      facts: { success: false },
    });
  });

  it('labels a shelf by the swaps that it needs', async () => {
    expect(await open(usual).about!('2 1 4 3')).toEqual({ labels: { swaps: 2 } });
  });

  it('has every shelf of four books that is not in order, once', () => {
    const { train, validation, test } = open(usual).splits;
    expect(Number(train?.count) + Number(validation?.count) + Number(test?.count)).toBe(9 * 8 * 7 * 6 - 126);
  });
});
