import type { RewardScheme } from '@agentgym/cli';

/** 1 on the turn that solves the task, 0 on every other. */
export function create(): RewardScheme {
  return {
    density: 'outcome',
    score: ({ facts, previous }) => (facts.success && previous?.success !== true ? 1 : 0),
    bounds: ({ horizon, discount = 1 }) => ({ success: [discount ** (horizon - 1), 1], failure: [0, 0] }),
  };
}
