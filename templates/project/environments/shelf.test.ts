import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { create, tasks } from './shelf.js';

/** Said here: other defaults are no reason for a test to fail. */
const usual = { books: 4, spare: 1 };
const { random } = testHost(3);

describe('shelf', () => {
  it('swaps neighbours until the books are in order', async () => {
    const shelf = create(usual);
    expect(await shelf.reset('2 1 4 3', { random })).toBe('You have 3 turns. 2 > 1 < 4 > 3');
    expect(await shelf.step('1')).toMatchObject({
      observation: '1 < 2 < 4 > 3',
      facts: { success: false, progress: 0.5 },
    });
    expect(await shelf.step('4')).toMatchObject({ terminated: false, facts: { invalid: true } });
    expect(await shelf.step('3')).toMatchObject({ terminated: true, facts: { success: true, progress: 1 } });
  });

  it('is lost when the turns are used up', async () => {
    const shelf = create({ books: 3, spare: 0 });
    await shelf.reset('1 3 2', { random });
    expect(await shelf.step('1')).toMatchObject({ terminated: true, truncated: false, facts: { success: false } });
  });

  it('has every shelf of four books that is not in order, once', () => {
    const { train, validation, test } = tasks(usual);
    expect(Number(train.count) + Number(validation.count) + Number(test.count)).toBe(9 * 8 * 7 * 6 - 126);
  });
});
