// REINFORCE, top to bottom.
//
// A sampled token is credited with the later rewards of its episode, because it cannot cause earlier ones. With the
// rewards r at their tokens, over the sampled tokens in order without the tokens between them,
//
//   G_t = r_t + d_t G_(t+1)                              d_t: tokenDiscount, at a turn's last token times turnDiscount
//   A_t = G_t - b                                        Williams 1992, section 5; Sutton and Barto 2018, sections 13.3
//                                                        and 13.4
//
//   b = 0                                                baseline: none
//   b = moving mean, over the batches before, of G       baseline: moving
//       at the beginning of turns of that number
//   b = undiscounted return of the task's episode at     baseline: greedy, ReMax, arXiv 2310.10505, Algorithm 1
//       temperature 0
//
// None of these baselines depends on the sampled token. So without discounts the expected gradient is the gradient of
// the expected return. With normalize: turns, a turn is one action, whose tokens share the number of the last token.
// Over all turns of the batch, each counted once,
//
//   A = (A - mean(A)) / sqrt(variance(A) + epsilon)      return batch normalisation (ReBN), GEM, arXiv 2510.01051,
//                                                        section 3.2
//
// A token's loss is
//
//   -A log p                                             importance: none
//   -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)      importance: clipped, r = p(token) / p_sampler(token); PPO,
//                                                        arXiv 1707.06347, eq. 7
//   at most -dualClip A where A < 0                      dual clip, arXiv 1912.09729
//   + klCoefficient KL(p || p_reference)                 fixed or adaptive, in the reward or in the loss
//   - entropyCoefficient H(p)
//
// Losses are summed over an episode and averaged over episodes unless `aggregation` sets another mean: only this is the
// gradient of the expected return. By default nothing is subtracted, normalised or clipped; this is the reference
// estimator for all others. GEM's scripts clip, make two passes over a batch and divide by a constant length; verl's
// ReMax clips and takes the mean over tokens. By default the divergence is subtracted from the reward, with k1: its
// expected derivative is then the derivative of the divergence.
import type { Algorithm, AlgorithmClaim, AlgorithmHost, LossExpression, TrainingBatch } from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  const { baseline, normalize, movingDecay } = options;
  const kl = credit.klControl(options);

  /** Calls `visit` with every turn of the batch and its number in the episode, from 0. */
  function eachTurn(batch: TrainingBatch, visit: (tokens: readonly number[], number: number) => void): void {
    for (const episode of credit.actionTokens(batch)) credit.turnTokens(episode).forEach(visit);
  }

  /**
   * Rewards of whole turns: the last token of a turn gets all its rewards, including what its tokens pay for their
   * divergence.
   */
  function rewardsOfTurns(batch: TrainingBatch): TrainingBatch {
    const rewards = new Float64Array(batch.rewards.length);
    eachTurn(batch, (tokens) => {
      rewards[tokens.at(-1) as number] = tokens.reduce((sum, index) => sum + (batch.rewards[index] as number), 0);
    });
    return { ...batch, rewards };
  }

  /** [rows, width] the baseline that is subtracted from the return of each sampled token; 0 elsewhere. */
  function baselines(batch: TrainingBatch, means: readonly number[]): Float64Array {
    if (baseline === 'greedy') {
      return credit.spreadOverTokens(batch, greedyReturns(batch));
    }
    const values = new Float64Array(batch.rows * batch.width);
    if (baseline === 'moving') {
      // A turn number that no earlier batch reached has no comparison. The mean of its own batch would depend on the
      // sampled tokens.
      eachTurn(batch, (tokens, number) => tokens.forEach((index) => (values[index] = means[number] ?? 0)));
    }
    return values;
  }

  /** [episodes] the return of the greedy episode of each one's task. */
  function greedyReturns(batch: TrainingBatch): Float64Array {
    const { greedyReturn } = batch;
    if (greedyReturn === undefined) throw new RangeError('the batch has no `greedyReturn`');
    return Float64Array.from(
      credit.actionTokens(batch),
      ({ rows: [first] }) => greedyReturn[first as number] as number,
    );
  }

  /** The moving means after a batch. The first mean of a turn's number has full weight, so no mean is biased to 0. */
  function nextMeans(batch: TrainingBatch, returns: Float64Array, means: readonly number[]): readonly number[] {
    const seen: { sum: number; count: number }[] = [];
    eachTurn(batch, ([first], number) => {
      const entry = (seen[number] ??= { sum: 0, count: 0 });
      entry.sum += returns[first as number] as number;
      entry.count += 1;
    });
    const current = seen.map(({ sum, count }, number) => {
      const before = means[number] ?? sum / count;
      return movingDecay * before + (1 - movingDecay) * (sum / count);
    });
    return [...current, ...means.slice(current.length)];
  }

  return {
    roles: [...kl.roles, ...(baseline === 'greedy' ? (['greedy'] as const) : [])],
    initialState: { ...kl.initialState, ...(baseline === 'moving' && { movingReturns: [] }) },
    discount: { turn: options.turnDiscount, token: options.tokenDiscount },
    claims: claimsOf(options),

    advantages: (given, state) => {
      const { batch: penalized, state: kept, metrics, ...rest } = kl.take(given, state);
      const batch = normalize === 'turns' ? rewardsOfTurns(penalized) : penalized;
      const returns = credit.returnsToGo(batch, { token: options.tokenDiscount, turn: options.turnDiscount });
      const means = (kept['movingReturns'] ?? []) as readonly number[];
      const expected = baselines(batch, means);
      const centred = returns.map((value, index) => value - (expected[index] as number));
      return {
        ...rest,
        advantages: normalize === 'turns' ? credit.whitenTurns(batch, centred, options) : centred,
        state: baseline === 'moving' ? { ...kept, movingReturns: nextMeans(batch, returns, means) } : kept,
        metrics: {
          ...metrics,
          ...(baseline === 'moving' && { moving_return: means[0] ?? 0 }),
          ...(baseline === 'greedy' && { greedy_return: meanOf(greedyReturns(batch)) }),
        },
      };
    },

    weights: (minibatch) =>
      credit.aggregationWeights(
        minibatch,
        options.aggregation,
        options.constantLength ?? undefined,
        options.countEmpty,
      ),

    loss: (ops, inputs) => {
      const { objective, metrics } =
        options.importance === 'clipped'
          ? credit.clippedObjective(ops, inputs, options)
          : {
              objective: ops.mul(inputs.advantages, inputs.logprob),
              metrics: { ratio: ops.exp(ops.sub(inputs.logprob, inputs.logprobs)) },
            };
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

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/**
 * Without normalisation an episode gets credit only for its own rewards. If the loss divides by a number of tokens,
 * the weight of an episode depends on sampled tokens.
 */
function claimsOf(options: Options): readonly AlgorithmClaim[] {
  if (options.normalize !== 'none') return [];
  const evenly = options.aggregation === 'sequence-mean-token-sum' || options.aggregation === 'constant-length';
  const plain = options.klCoefficient === 0 && options.entropyCoefficient === 0;
  const undiscounted = options.turnDiscount === 1 && options.tokenDiscount === 1;
  return evenly && plain && undiscounted ? ['groups-apart', 'unbiased'] : ['groups-apart'];
}
