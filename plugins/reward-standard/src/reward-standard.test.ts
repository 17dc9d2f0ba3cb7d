import type { Facts, RewardScheme, RewardTurn } from '@agentgym/cli';
import { describe, expect, it } from 'vitest';

import { create as createProgress } from './progress.js';
import { create as createSparse } from './sparse.js';

/** The rewards of an episode that goes through these facts. */
function scores(scheme: RewardScheme, facts: readonly Partial<Facts>[]): number[] {
  const whole = facts.map((some) => ({ success: false, invalid: false, ...some }));
  return whole.map((now, index) => {
    const previous = whole[index - 1];
    const turn: RewardTurn = {
      facts: now,
      ...(previous === undefined ? {} : { previous }),
      native: 7,
      malformed: false,
      cut: false,
      tokens: 1,
      terminated: now.success,
      truncated: false,
      index,
    };
    return scheme.score(turn);
  });
}

describe('sparse', () => {
  it('pays the success once and nothing else', () => {
    expect(scores(createSparse(), [{ progress: 0.5 }, { success: true }])).toEqual([0, 1]);
    expect(scores(createSparse(), [{ success: true }, { success: true }])).toEqual([1, 0]);
    expect(scores(createSparse(), [{ progress: 0.9 }, { invalid: true }])).toEqual([0, 0]);
  });
});

describe('progress', () => {
  const scheme = createProgress({ share: 0.5 });

  it('pays what was covered in a turn', () => {
    expect(
      scores(scheme, [{ progress: 0.25 }, { progress: 0.25, invalid: true }, { progress: 1, success: true }]),
    ).toEqual([0.125, 0, 1.375]);
  });

  it('takes back what is lost, so that going in circles earns nothing', () => {
    expect(scores(scheme, [{ progress: 0.5 }, { progress: 0 }, { progress: 0.5 }])).toEqual([0.25, -0.25, 0.25]);
  });

  it('gives every success the same return, also where the environment counts no progress', () => {
    const total = (facts: Partial<Facts>[]) => scores(scheme, facts).reduce((sum, score) => sum + score, 0);
    expect(total([{ success: true }])).toBe(1.5);
    expect(total([{ progress: 0.3 }, { success: true, progress: 0.3 }])).toBe(1.5);
    expect(total([{}, { success: true }, { success: true }])).toBe(1.5);
  });
});
