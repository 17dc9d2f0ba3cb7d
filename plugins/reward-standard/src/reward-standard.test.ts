import type { Facts, RewardScheme, RewardTurn } from '@agentgym/cli';
import { optionDefaults } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { create as createBalanced } from './balanced.js';
import { create as createCost } from './cost.js';
import { create as createDense } from './dense.js';
import { create as createFormat } from './format.js';
import { costOptions, formatOptions } from './options.js';
import { create as createProgress } from './progress.js';
import { create as createSparse } from './sparse.js';
import { create as createVerified } from './verified.js';

/** The rewards of an episode with these facts. `more` adds other properties of its turns. */
function scores(
  scheme: RewardScheme,
  facts: readonly Partial<Facts>[],
  more: readonly Partial<RewardTurn>[] = [],
): number[] {
  const whole = facts.map((some) => ({ success: false, invalid: false, ...some }));
  return whole.map((now, index) => {
    const previous = whole[index - 1];
    const turn: RewardTurn = {
      text: 'go north',
      facts: now,
      ...(previous === undefined ? {} : { previous }),
      native: 7,
      malformed: false,
      cut: false,
      tokens: 1,
      terminated: now.success,
      truncated: false,
      index,
      ...more[index],
    };
    return scheme.score(turn);
  });
}

describe('verified', () => {
  const words = { match: 'normalized', tolerance: 0, after: null } as const;
  const paid = (options: Parameters<typeof createVerified>[0], turn: Partial<RewardTurn>) =>
    scores(
      createVerified(options),
      [{}, {}],
      [{ action: 'Paris' }, { terminated: true, references: ['Paris'], ...turn }],
    );

  it('compares the last action with the right answers, and pays nothing before', () => {
    expect(paid(words, { action: 'the PARIS.' })).toEqual([0, 1]);
    expect(paid(words, { action: 'London' })).toEqual([0, 0]);
    expect(paid(words, { action: 'London', references: ['Paris', 'London'] })).toEqual([0, 1]);
    expect(paid({ ...words, match: 'exact' }, { action: 'paris' })).toEqual([0, 0]);
    expect(paid({ ...words, match: 'f1' }, { action: 'big Paris' })[1]).toBeCloseTo(2 / 3, 12);
    expect(paid({ ...words, match: 'set' }, { action: 'b, a', references: ['{a, b}'] })).toEqual([0, 1]);
    expect(paid({ ...words, match: 'number', tolerance: 0.01 }, { action: '99', references: ['100'] })).toEqual([0, 1]);
  });

  it('takes an episode that was cut, and no text that was no action', () => {
    expect(paid(words, { action: 'Paris', terminated: false, truncated: true })).toEqual([0, 1]);
    expect(paid(words, { text: 'Paris', malformed: true })).toEqual([0, 0]);
    expect(paid(words, { action: 'Paris', references: [] })).toEqual([0, 0]);
  });

  it('reads the answer behind the last mark', () => {
    const marked = { ...words, after: 'answer:' };
    expect(paid(marked, { action: 'answer: Rome? No, answer: Paris' })).toEqual([0, 1]);
    expect(paid(marked, { action: 'Paris' })).toEqual([0, 0]);
  });
});

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

/** Facts with `milestones` of `total` milestones reached. */
const reached = (milestones: number, total: number, success = false): Partial<Facts> => ({
  success,
  milestones: { reached: milestones, total },
});
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe('dense', () => {
  const scheme = createDense({ share: 0.5 });

  it('pays for each milestone on the turn that reaches it', () => {
    const turns = [reached(0, 4), reached(1, 4), reached(1, 4), reached(3, 4), reached(4, 4, true)];
    expect(scores(scheme, turns)).toEqual([0, 0.125, 0, 0.25, 1.125]);
  });

  it('pays a success that passed by milestones for all of them', () => {
    expect(scores(scheme, [reached(1, 4), reached(1, 4, true)])).toEqual([0.125, 1.375]);
    expect(scores(scheme, [reached(0, 4, true), reached(4, 4, true)])).toEqual([1.5, 0]);
    expect(scores(scheme, [{ success: true }])).toEqual([1.5]);
  });

  // Goes red when each milestone is worth a fixed number: ten of them would pay a failure more than a success.
  it.each([1, 2, 3, 10, 1000])('keeps a failure with all %d milestones below a success with none', (total) => {
    const failure = sum(scores(scheme, [reached(total, total)]));
    expect(failure).toBeCloseTo(0.5, 12);
    expect(sum(scores(scheme, [reached(0, total), reached(0, total, true)]))).toBe(1.5);
  });

  it('is not confused by a first turn that was malformed and tells of no milestones', () => {
    expect(scores(scheme, [{ invalid: true }, reached(2, 4)])).toEqual([0, 0.25]);
  });

  it('pays nothing on the way where a task has no milestones', () => {
    expect(scores(scheme, [reached(0, 0), reached(0, 0, true)])).toEqual([0, 1.5]);
  });
});

describe('balanced', () => {
  const scheme = createBalanced({ share: 0.5 });

  it('pays for the second, the fourth and so on', () => {
    const turns = [1, 2, 3, 4, 5].map((count) => reached(count, 5, count === 5));
    expect(scores(scheme, turns)).toEqual([0, 0.25, 0, 0.25, 1]);
    expect(scores(scheme, [reached(3, 4), reached(4, 4, true)])).toEqual([0.25, 1.25]);
  });

  it('pays all at once where there is one milestone', () => {
    expect(scores(scheme, [reached(0, 1), reached(1, 1, true)])).toEqual([0, 1.5]);
    expect(scores(scheme, [reached(1, 1)])).toEqual([0]);
  });

  it('gives every success the same return', () => {
    for (const total of [1, 2, 3, 4, 7]) {
      for (let passed = 0; passed <= total; passed += 1) {
        expect(sum(scores(scheme, [reached(passed, total), reached(passed, total, true)]))).toBeCloseTo(1.5, 12);
      }
    }
  });
});

describe('format', () => {
  it('takes its price once for a turn that was malformed, cut, or both', () => {
    const turns = [{}, { malformed: true }, { cut: true }, { malformed: true, cut: true }];
    expect(scores(createFormat({ price: 0.25 }), [{}, {}, {}, {}], turns)).toEqual([0, -0.25, -0.25, -0.25]);
  });

  it('is bounded by a price in every turn', () => {
    expect(createFormat({ price: 0.25 }).bounds({ horizon: 3 })).toEqual({ success: [-0.75, 0], failure: [-0.75, 0] });
    const discounted = createFormat({ price: 1 }).bounds({ horizon: 3, discount: 0.5 });
    expect(discounted.failure).toEqual([-1.75, 0]);
  });
});

describe('cost', () => {
  const scheme = createCost({ turn: 0.5, token: 0.125, invalid: 2, toolCall: 3 });

  it('takes a price for the turn, for its tokens and for an action that was not legal', () => {
    expect(scores(scheme, [{}, { invalid: true }], [{ tokens: 3 }, { tokens: 0 }])).toEqual([-0.875, -2.5]);
    expect(scores(createCost({ turn: 0, token: 0, invalid: 0, toolCall: 0 }), [{ invalid: true }])).toEqual([0]);
  });

  // Goes red when only answered calls are priced, or when the highest price of a turn does not include calls.
  it('takes a price for a call of a tool, whatever came of it, and is bounded by it only where there are tools', () => {
    const [one, other] = [false, true].map((failed) => ({ name: 'a', failed }));
    const calls = [{}, { calls: [one!] }, { calls: [one!, other!] }];
    const rewards = scores(scheme, [{}, {}, {}], calls);
    expect(rewards).toEqual([-0.625, -3.625, -6.625]);
    expect(scheme.bounds({ horizon: 2, actionTokens: 8, calls: 2 }).failure).toEqual([-15, 0]);
    expect(scheme.bounds({ horizon: 2, actionTokens: 8 }).failure).toEqual([-7, 0]);
  });

  it('is bounded by the longest turns there can be', () => {
    const bounds = scheme.bounds({ horizon: 4, actionTokens: 8 });
    expect(bounds).toEqual({ success: [-14, -0.5], failure: [-14, 0] });
  });

  // Both terms with their defaults, at the longest horizons and actions of the recipes in this repository.
  it('keeps success above failure by default, in 50 turns of 512 tokens', () => {
    const context = { horizon: 50, actionTokens: 512 };
    const cost = createCost(optionDefaults(costOptions)).bounds(context);
    const format = createFormat(optionDefaults(formatOptions)).bounds(context);
    expect(1 + cost.success[0] + format.success[0]).toBeGreaterThan(cost.failure[1] + format.failure[1]);
  });
});
