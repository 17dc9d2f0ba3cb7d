import { expect, it } from 'vitest';

import { create } from './calls.js';

const turn = {
  text: '',
  facts: { success: false, invalid: false },
  native: 0,
  malformed: false,
  cut: false,
  tokens: 1,
  index: 0,
};
const scheme = create({ answered: 0.5, failed: 0.25 });
const score = (...failed: boolean[]) =>
  scheme.score({
    ...{ ...turn, terminated: false, truncated: false },
    ...(failed.length > 0 && { calls: failed.map((one) => ({ name: 'a', failed: one })) }),
  });

it('pays for each answered call, and charges for each other one', () => {
  expect(score()).toBe(0);
  expect(score(false, false)).toBe(1);
  expect(score(true, false, true)).toBe(0);
});

it('is bounded by the most calls of a turn; one turn of a success is an action', () => {
  const { failure, success } = scheme.bounds({ horizon: 3, calls: 2 });
  expect(failure).toEqual([-1.5, 3]);
  expect(success).toEqual([-1, 2]);
  expect(scheme.bounds({ horizon: 3 })).toEqual({ success: [0, 0], failure: [0, 0] });
  expect(scheme.bounds({ horizon: 2, calls: 1, discount: 0.5 })).toEqual({
    success: [-0.25, 0.5],
    failure: [-0.375, 0.75],
  });
});
