import type { OptionsDeclaration, OptionsOf, RewardScheme } from '@agentgym/cli';

export const options = {
  bonus: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 0.5,
    description: 'What a success in the first turn earns on top',
  },
} as const satisfies OptionsDeclaration;

/** 1 for the success, and a bonus that shrinks with every turn it took. */
export function create({ bonus }: OptionsOf<typeof options>): RewardScheme {
  const worth = (turn: number) => 1 + bonus / (turn + 1);
  return {
    density: 'outcome',
    score: ({ facts, previous, index }) => (facts.success && previous?.success !== true ? worth(index) : 0),
    bounds: ({ horizon, discount = 1 }) => {
      const earned = Array.from({ length: horizon }, (_, turn) => discount ** turn * worth(turn));
      return { success: [Math.min(...earned), Math.max(...earned)], failure: [0, 0] };
    },
  };
}
