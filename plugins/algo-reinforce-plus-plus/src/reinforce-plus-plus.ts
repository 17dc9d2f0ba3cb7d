// REINFORCE++ (Hu et al. 2025, arXiv 2501.03262), top to bottom: PPO's clipped objective without a critic, with
// advantages normalised over the whole batch instead of each group.
//
// With the rewards r at their tokens, over the sampled tokens in order without the tokens between them, a token has
//
//   x_t = r_t + d_t x_(t+1)                              baseline: none; d_t: tokenDiscount, at a turn's last token
//                                                        times turnDiscount
//   x_t = R_i - mean(R of its group)                     baseline: group, "REINFORCE++ with baseline"; R_i: the
//                                                        undiscounted sum of episode i
//
//   A_t = (x_t - mean(x)) / sqrt(variance(x) + epsilon)  over all sampled tokens of all episodes of the batch
//
// With the ratio r = p(token) / p_sampler(token), its loss is
//
//   -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)      PPO, arXiv 1707.06347, equation 7
//   at most -dualClip A where A < 0                      dual clip, arXiv 1912.09729
//   + klCoefficient KL(p || p_reference)                 fixed or adaptive, in the reward or in the loss
//   - entropyCoefficient H(p)
//
// By default klCoefficient log(p_sampler / p_reference) is subtracted from each token's reward, as in the paper. For
// the form with baseline the paper moves the divergence to the loss and uses k2: klIn: loss, klEstimator: k2.
//
// The defaults are the numbers of verl: a deviation of n - 1, 1e-8 added to the variance, the mean over tokens. The
// code of the paper's authors (OpenRLHF) divides by n and bounds the variance below by 1e-8. In verl the dual clip is
// always on (3), and a group of one keeps its raw return; here it has x = 0, because it has no comparison. In the mean
// over tokens, a long episode has more weight than a short one.
import type { Algorithm, AlgorithmHost, LossExpression, TrainingBatch } from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  const kl = credit.klControl(options);

  /**
   * [rows, width] the return of each episode minus the mean of its group, 0 in a group of one, which has no comparison.
   */
  function aboveGroup(batch: TrainingBatch): Float64Array {
    const returns = credit.episodeReturns(batch);
    const above = new Float64Array(returns.length);
    for (const members of credit.groupEpisodes(batch)) {
      const { mean } = credit.meanAndDeviation(members.map((episode) => returns[episode] as number));
      for (const episode of members) above[episode] = members.length > 1 ? (returns[episode] as number) - mean : 0;
    }
    return credit.spreadOverTokens(batch, above);
  }

  return {
    roles: kl.roles,
    initialState: kl.initialState,
    discount: { turn: options.turnDiscount, token: options.tokenDiscount },

    advantages: (given, state) => {
      const { batch, ...rest } = kl.take(given, state);
      const values =
        options.baseline === 'group'
          ? aboveGroup(batch)
          : credit.returnsToGo(batch, { token: options.tokenDiscount, turn: options.turnDiscount });
      return { ...rest, advantages: credit.whitenTokens(batch, values, options) };
    },

    weights: (minibatch) =>
      credit.aggregationWeights(
        minibatch,
        options.aggregation,
        options.constantLength ?? undefined,
        options.countEmpty,
      ),

    loss: (ops, inputs) => {
      const { objective, metrics } = credit.clippedObjective(ops, inputs, options);
      const terms: { [name: string]: LossExpression } = {
        policy: ops.sub(ops.constant(0), objective),
        ...kl.terms(ops, inputs),
      };
      if (options.entropyCoefficient > 0) {
        terms['entropy'] = ops.mul(ops.constant(-options.entropyCoefficient), inputs.entropy);
      }
      return { terms, metrics };
    },
  };
}
