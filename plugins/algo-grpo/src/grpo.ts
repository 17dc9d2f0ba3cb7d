// Group relative policy optimisation (GRPO), top to bottom.
//
// G episodes of one task are sampled together. With R_i the undiscounted sum of the rewards of episode i, every token that the
// policy sampled in it has the advantage
//
//   A_i = (R_i - mean(R)) / (deviation(R) + epsilon)     GRPO, DeepSeekMath, arXiv 2402.03300, section 4.1.2
//   A_i =  R_i - mean(R)                                 Dr. GRPO, arXiv 2503.20783, section 3.2
//
// with the deviation of n - 1. With the ratio r = p(token) / p_sampler(token), a token's loss is
//
//   -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)      PPO, arXiv 1707.06347; two bounds: DAPO, arXiv 2503.14476, section 3.1
//   at most -dualClip A where A < 0                      dual clip, arXiv 1912.09729
//   + klCoefficient KL(p || p_reference)                 k3 or k2 on the sampled token
//   - entropyCoefficient H(p)
//
// Groups whose returns are all equal say nothing and are left out (dynamic sampling without resampling: DAPO, section 3.2). Losses of
// tokens are averaged over all tokens (DAPO, section 3.3) unless `aggregation` says otherwise.
import type { Algorithm, AlgorithmHost, Loss, LossExpression, LossInputs, LossOperations } from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  /** Advantages of a group's members; undefined where the group has no signal. */
  function groupAdvantages(returns: readonly number[]): readonly number[] | undefined {
    const { mean, deviation } = credit.meanAndDeviation(returns, options.noSignalBelow);
    if (deviation === 0) return undefined;
    const divisor = options.divideByDeviation ? deviation + options.deviationEpsilon : 1;
    return returns.map((value) => (value - mean) / divisor);
  }

  function loss(ops: LossOperations, inputs: LossInputs): Loss {
    // The loop logs entropy, divergence from the sampler and groups without signal for every algorithm.
    const { objective, metrics: clips } = credit.clippedObjective(ops, inputs, options);
    const metrics: { [name: string]: LossExpression } = { ...clips };
    const terms: { [name: string]: LossExpression } = { policy: ops.sub(ops.constant(0), objective) };
    if (options.klCoefficient > 0) {
      const kl = credit.klExpression(ops, inputs, options.klEstimator);
      terms['kl'] = ops.mul(ops.constant(options.klCoefficient), kl);
      metrics['reference_kl'] = kl;
    }
    if (options.entropyCoefficient > 0) {
      terms['entropy'] = ops.mul(ops.constant(-options.entropyCoefficient), inputs.entropy);
    }
    return { terms, metrics };
  }

  return {
    roles: options.klCoefficient > 0 ? ['reference'] : [],
    initialState: {},

    ...(options.dropFlatGroups && {
      select: (groups) => groups.map((group) => groupAdvantages(group.map((episode) => episode.return)) !== undefined),
    }),

    advantages: (batch, state) => {
      const returns = credit.episodeReturns(batch);
      const perRow = new Float64Array(batch.rows);
      for (const rows of credit.groupRows(batch)) {
        const advantages = groupAdvantages(rows.map((row) => returns[row] as number));
        advantages?.forEach((advantage, member) => (perRow[rows[member] as number] = advantage));
      }
      return { advantages: credit.spreadOverTokens(batch, perRow), state };
    },

    weights: (minibatch) =>
      credit.aggregationWeights(minibatch, options.aggregation, options.constantLength ?? undefined),

    loss,
  };
}
