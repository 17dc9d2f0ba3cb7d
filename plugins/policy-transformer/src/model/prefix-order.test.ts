import { testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { orderByPrefix } from './prefix-order.js';

it('sorts by the first token that differs, and counts the tokens before it', () => {
  const { order, common } = orderByPrefix([[5, 1, 2], [3], [5, 1], [5, 0, 9, 9], [5, 1, 2]]);
  expect(order).toEqual([1, 3, 2, 0, 4]);
  // By index: the sequence before [5, 1, 2] in the order is [5, 1].
  expect(common).toEqual([2, 0, 1, 0, 3]);
});

// Goes red when the order separates sequences with a common beginning.
it('leaves as many tokens as there are different beginnings', () => {
  const { random } = testHost();
  for (let trial = 0; trial < 100; trial += 1) {
    const sequences = Array.from({ length: random.integer(0, 30) }, () =>
      Array.from({ length: random.integer(0, 8) }, () => random.integer(0, 3)),
    );
    const beginnings = new Set(
      sequences.flatMap((tokens) => tokens.map((_, position) => tokens.slice(0, position + 1).join())),
    );
    const { common } = orderByPrefix(sequences);
    const left = sequences.reduce((sum, { length }, index) => sum + length - common[index]!, 0);
    expect(left).toBe(beginnings.size);
  }
});
