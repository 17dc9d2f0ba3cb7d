import type { Algorithm, AlgorithmHost, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

export const options = {
  memory: { type: 'number', minimum: 0, maximum: 1, default: 0.9, description: 'Share of the old baseline that stays' },
} as const satisfies OptionsDeclaration;

/** REINFORCE (Williams 1992) with a baseline that follows the mean return. */
export function create({ memory }: OptionsOf<typeof options>, { credit }: AlgorithmHost): Algorithm {
  return {
    roles: [],
    initialState: { baseline: 0 },
    advantages(batch, state) {
      const before = Number(state['baseline']);
      const returns = credit.episodeReturns(batch);
      const mean = returns.reduce((sum, value) => sum + value, 0) / Math.max(1, returns.length);
      const baseline = memory * before + (1 - memory) * mean;
      const advantages = credit.spreadOverTokens(
        batch,
        returns.map((value) => value - before),
      );
      return { advantages, state: { baseline }, metrics: { baseline } };
    },
    weights: (minibatch) => credit.aggregationWeights(minibatch, 'token-mean'),
    loss: (ops, { logprob, advantages }) => ({
      terms: { policy: ops.sub(ops.constant(0), ops.mul(advantages, logprob)) },
    }),
  };
}
