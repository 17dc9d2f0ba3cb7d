// Proximal policy optimisation (PPO) with a critic, top to bottom.
//
// A critic V estimates the future return of an episode. Over the sampled tokens in order, without the observations
// between them, generalised advantage estimation (GAE, arXiv 1506.02438, equation 16) is
//
//   delta_t = r_t + d_t V_(t+1) - V_t        d_t: tokenDiscount within a turn, tokenDiscount * turnDiscount from a
//                                            turn's last token to the next's first
//   A_t     = delta_t + d_t lambda A_(t+1)
//   R_t     = A_t + V_t                      the target of the critic
//
// After the last token V is 0 if the episode ended, and the critic's value of the last state if a cap cut it. With
// level: turn a step is a whole turn, whose tokens share one advantage and one target. A is then whitened over the
// sampled tokens of the batch, (A - mean) / sqrt(variance + varianceEpsilon) with the variance of n - 1; R uses the A
// before whitening. With the ratio r = p(token) / p_sampler(token), a token's loss is
//
//   -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)      PPO, arXiv 1707.06347, equation 7
//   at most -dualClip A where A < 0                      dual clip, arXiv 1912.09729
//   + klCoefficient KL(p || p_reference)                 in the reward (arXiv 2203.02155, equation 2) or in the loss,
//                                                        fixed or adaptive
//   - entropyCoefficient H(p)                            PPO, equation 9
//
// and the critic's loss is
//
//   1/2 (V - R)^2                                        or, with valueClip and V_old, its value before,
//   1/2 max((V - R)^2, (clip(V, V_old - valueClip, V_old + valueClip) - R)^2)
//
// A second model minimises only this loss. For a head on the policy's trunk it is added to the policy's loss, times
// valueCoefficient.
//
// Differences between the originals. The paper's objective has the whole squared error, not half of it, and no clip of
// values; both came with its code (baselines `ppo2`: lambda 0.95, weight 0.5, one bound of 0.2 for ratios and values).
// verl, and therefore the recipes of the Practitioner's Guide and of AgentGym-RL, has lambda 1, a separate critic and
// values clipped at 0.5. It always whitens, never bootstraps and by default has no warm-up. Its newer versions always
// use a dual clip of 3. TRL has lambda 0.95, weight 0.1 and values clipped at 0.2.
//
// Why lambda is 1 here: with steps of tokens, 0.95 forgets within twenty tokens, which may be less than a turn;
// everything later depends only on the critic (arXiv 2503.01491 names this and the initial bias of critics as causes of
// PPO's collapse on long answers). Why an own critic is warmed up for 5 steps: it starts at 0 everywhere, which is
// neither a baseline nor an estimate for a truncated episode, and its errors are largest while it finds its scale. A
// shared trunk has no warm-up, because training its values also changes the policy. Why values are not clipped: the
// bound is in units of reward, so no number fits all rewards, and arXiv 2006.05990 (choice C13) found that every bound
// hurt.
import type {
  Algorithm,
  AlgorithmClaim,
  AlgorithmHost,
  CriticPlan,
  Loss,
  LossExpression,
  LossInputs,
  LossOperations,
} from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  const { critic: trunk, valueClip, aggregation, constantLength, countEmpty } = options;
  const own = trunk === 'own';
  const kl = credit.klControl(options);

  /**
   * Half the squared error of the value, or of the clipped value if that is larger. So the loss gains nothing beyond
   * the bound.
   */
  function criticLoss(ops: LossOperations, { value, values, returns }: LossInputs): Loss {
    const errorOf = (said: LossExpression): LossExpression => {
      const error = ops.sub(said, returns);
      return ops.mul(error, error);
    };
    const weighted = (error: LossExpression): LossExpression =>
      ops.mul(ops.constant(own ? 0.5 : 0.5 * options.valueCoefficient), error);
    const free = errorOf(value);
    if (valueClip === null) return { terms: { value: weighted(free) } };
    const bound = ops.constant(valueClip);
    // Inside the bounds, this is exactly the value. V_old + clip(V - V_old) can differ in the last bit, which would
    // count as clipped.
    const near = ops.min(ops.max(value, ops.sub(values, bound)), ops.add(values, bound));
    const clipped = errorOf(near);
    return {
      terms: { value: weighted(ops.max(free, clipped)) },
      metrics: { value_clipped: ops.greater(clipped, free) },
    };
  }

  const critic: CriticPlan = {
    trunk,
    learningRate: own ? options.criticLearningRate : null,
    warmup: options.criticWarmup ?? (own ? 5 : 0),
    loss: criticLoss,
  };

  return {
    roles: kl.roles,
    critic,
    initialState: kl.initialState,
    discount: { turn: options.turnDiscount, token: options.tokenDiscount },
    claims: claimsOf(options),

    advantages: (batch, state) => {
      const { batch: penalized, metrics, ...rest } = kl.take(batch, state);
      const { advantages, returns } = credit.generalizedAdvantages(penalized, {
        level: options.level,
        lambda: options.lambda,
        token: options.tokenDiscount,
        turn: options.turnDiscount,
        bootstrap: options.bootstrap,
      });
      const overTokens = (array: Float64Array) =>
        credit.meanAndDeviation(Array.from(array).filter((_, index) => batch.mask[index] === 1));
      return {
        ...rest,
        advantages: options.whiten ? credit.whitenTokens(batch, advantages, options) : advantages,
        returns,
        metrics: {
          ...metrics,
          advantage_deviation: overTokens(advantages).deviation,
          value_target_mean: overTokens(returns).mean,
        },
      };
    },

    weights: (minibatch) => credit.aggregationWeights(minibatch, aggregation, constantLength ?? undefined, countEmpty),

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

/** With raw advantages and lambda 1, a critic is a baseline, even a wrong one. */
function claimsOf(options: Options): readonly AlgorithmClaim[] {
  if (options.whiten) return [];
  const evenly = options.aggregation === 'sequence-mean-token-sum' || options.aggregation === 'constant-length';
  const plain = options.klCoefficient === 0 && options.entropyCoefficient === 0;
  const undiscounted = options.lambda === 1 && options.turnDiscount === 1 && options.tokenDiscount === 1;
  return evenly && plain && undiscounted ? ['groups-apart', 'unbiased'] : ['groups-apart'];
}
