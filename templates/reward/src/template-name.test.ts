import type { RewardTurn } from '@agentgym/cli';
import { describe, expect, it } from 'vitest';

import { validate } from './options.js';
import { create } from './template-name.js';

const lost: RewardTurn = {
  text: 'go north',
  facts: { success: false, invalid: false },
  native: 0,
  malformed: false,
  cut: false,
  tokens: 2,
  terminated: false,
  truncated: false,
  index: 0,
};
const wonIn = (index: number): RewardTurn => ({
  ...lost,
  facts: { success: true, invalid: false },
  previous: lost.facts,
  terminated: true,
  index,
});

describe('template-name', () => {
  const scheme = create({ keep: 0.8, latest: 0.5 });

  it('pays the whole at once, and less from turn to turn', () => {
    expect([0, 1, 2].map((index) => scheme.score(wonIn(index)))).toEqual([1, 0.9, 0.5 + 0.5 * 0.8 ** 2]);
    expect(scheme.score(wonIn(1000))).toBeCloseTo(0.5, 10);
  });

  it('pays once, and nothing for a failure', () => {
    expect(scheme.score(lost)).toBe(0);
    expect(scheme.score({ ...wonIn(3), previous: { success: true, invalid: false } })).toBe(0);
  });

  it('says what the latest success is worth, discounted where that is asked for', () => {
    expect(scheme.bounds({ horizon: 2 })).toEqual({ success: [0.9, 1], failure: [0, 0] });
    expect(scheme.bounds({ horizon: 2, discount: 0.5 }).success).toEqual([0.45, 1]);
  });

  it('names the option that has no effect', () => {
    expect(validate({ keep: 0.8, latest: 0.5 })).toEqual([]);
    expect(validate({ keep: 1, latest: 0.5 })).toMatchObject([{ path: ['latest'], idle: true }]);
    expect(validate({ keep: 0.8, latest: 1 })).toMatchObject([{ path: ['keep'], idle: true }]);
  });
});
