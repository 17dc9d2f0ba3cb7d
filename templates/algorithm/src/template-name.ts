// The whole algorithm, top to bottom.
//
// The episodes of one task are sampled together, in a group of G. With R_i the sum of the rewards of episode i, every
// token that the policy sampled in it has the advantage
//
//   A_i = R_i - mean of R_j over the others, j != i      REINFORCE leave-one-out: Kool et al. 2019; Ahmadian et al.
//                                                        2024, arXiv 2402.14740
//
// With r = p(token) / p_sampler(token), the loss of a token is
//
//   -min(r A, clip(r, 1 - clip, 1 + clip) A)             PPO: Schulman et al. 2017, arXiv 1707.06347, equation 7
//   - entropyCoefficient H(p)
//
// summed over an episode and averaged over episodes.
import type { Algorithm, AlgorithmHost, LossExpression, TrainingBatch } from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

export function create({ clip, entropyCoefficient }: Options, { credit }: AlgorithmHost): Algorithm {
  /** [episodes] the advantage of each episode. */
  function compare(batch: TrainingBatch): Float64Array {
    const returns = credit.episodeReturns(batch);
    const advantages = new Float64Array(returns.length);
    for (const group of credit.groupEpisodes(batch)) {
      const total = group.reduce((sum, episode) => sum + (returns[episode] as number), 0);
      for (const episode of group) {
        const own = returns[episode] as number;
        // Edit here: the baseline. A single episode has no comparison.
        if (group.length > 1) advantages[episode] = own - (total - own) / (group.length - 1);
      }
    }
    return advantages;
  }

  return {
    // Edit here: add `reference` for the log probabilities of the policy at the start of the stage.
    roles: [],
    // State that is passed from batch to batch. It is JSON and stored in checkpoints.
    initialState: {},

    advantages: (batch, state) => {
      const perEpisode = compare(batch);
      const size = perEpisode.reduce((sum, advantage) => sum + Math.abs(advantage), 0) / Math.max(1, perEpisode.length);
      return { advantages: credit.spreadOverTokens(batch, perEpisode), state, metrics: { advantage_size: size } };
    },

    weights: (minibatch) => credit.aggregationWeights(minibatch, 'sequence-mean-token-sum'),

    // Edit here: the loss of a token, as an expression. Training minimises it.
    loss: (ops, { logprob, logprobs, advantages, entropy }) => {
      const ratio = ops.exp(ops.sub(logprob, logprobs));
      const clipped = ops.clip(ratio, 1 - clip, 1 + clip);
      const objective = ops.min(ops.mul(ratio, advantages), ops.mul(clipped, advantages));
      const terms: { [name: string]: LossExpression } = { policy: ops.sub(ops.constant(0), objective) };
      if (entropyCoefficient > 0) terms['entropy'] = ops.mul(ops.constant(-entropyCoefficient), entropy);
      return { terms, metrics: { ratio } };
    },
  };
}
