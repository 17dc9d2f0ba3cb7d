// Direct preference optimisation (DPO), top to bottom.
//
// Episodes of one task are sampled together and paired, a winner with a loser of lower return. With s the sum, over the
// tokens that the policy sampled in an episode, of log p - log p_reference, and h = s(winner) - s(loser), the loss of a
// pair is
//
//   -log sigmoid(beta h)                          DPO, Rafailov et al. 2023, arXiv 2305.18290, equation 7
//   -(1 - e) log sigmoid(beta h)                  conservative DPO: a share e of the pairs has the wrong order
//       - e log sigmoid(-beta h)                  (Mitchell 2023, "A note on DPO with noisy preferences", equation 3)
//   (h - 1 / (2 beta))^2                          IPO, Azar et al. 2023, arXiv 2310.12036, equation 17, with beta for
//                                                 its tau
//   + sftCoefficient * mean of -log p(winner)     Iterative RPO, arXiv 2404.19733
//
// and the loss of a minibatch is the mean over its pairs. With `lengthNormalized` s is the mean over the episode's
// tokens.
//
// Whole trajectories are compared. Text of the environment between two actions is equally likely under policy and
// reference and cancels in h, so the sums include only sampled tokens. beta s is the reward that the policy implies
// (equation 5 of the paper). Its constant cancels exactly if the task and the actions determine the episode; with
// chance in the environment this is an approximation.
//
// There is no ratio to the sampler and no clip: the loss of a pair does not depend on the policy that sampled it. The
// reference is the policy at the start of the stage and does not change. For a new reference in each round (iterative
// DPO), make each round a stage.
import type { Algorithm, AlgorithmHost, CompletedEpisode, LossExpression } from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

/** Winner and loser. */
type Pair = readonly [CompletedEpisode, CompletedEpisode];

const difference = ([winner, loser]: Pair): number => winner.return - loser.return;

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  const { beta, labelSmoothing, sftCoefficient } = options;

  /**
   * Pairs of a group, the largest difference first. Of equal differences, pairs of an earlier round come first. In a
   * round, every episode wins at most once and loses at most once. The first round pairs the i-th best with the i-th
   * worst, the next round with the next better one, and so on.
   */
  function pairsOf(group: readonly CompletedEpisode[]): readonly Pair[] {
    const ranked = group
      .filter(({ sequences }) => sequences?.some(({ mask }) => mask.includes(1)) === true)
      .sort((left, right) => right.return - left.return);
    const worstFirst = ranked.toReversed();
    const rounds = options.pairing === 'all' ? ranked.length : 1;
    return Array.from({ length: rounds }, (_, round) =>
      ranked.map((winner, rank): Pair => [winner, worstFirst[(rank + round) % ranked.length] as CompletedEpisode]),
    )
      .flat()
      .filter((pair) => difference(pair) > options.margin)
      .sort((left, right) => difference(right) - difference(left))
      .slice(0, options.pairsPerTask ?? group.length ** 2);
  }

  return {
    roles: ['reference'],
    initialState: {},
    pairs: true,
    refillRounds: options.refillRounds,
    select: pairsOf,

    // 1 on winners and -1 on losers, so that the loss and the log know the side of an episode.
    advantages: (batch, state) => {
      const returns = credit.episodeReturns(batch);
      const sides = returns.map((_, episode) => (episode % 2 === 0 ? 1 : -1));
      const gap = returns.reduce((sum, earned, episode) => sum + earned * (sides[episode] as number), 0);
      const pairs = returns.length / 2;
      return {
        advantages: credit.spreadOverTokens(batch, sides),
        state,
        metrics: { pairs, return_gap: gap / pairs },
      };
    },

    // Each token of both episodes has the loss of the pair, so the mean over episodes of the mean over tokens is the mean
    // over pairs.
    weights: (minibatch) => credit.aggregationWeights(minibatch, 'sequence-mean-token-mean'),

    loss: (ops, { logprob, referenceLogprobs, advantages }) => {
      const negative = (of: LossExpression): LossExpression => ops.sub(ops.constant(0), of);
      const scaled = (factor: number, of: LossExpression): LossExpression => ops.mul(ops.constant(factor), of);
      const won = ops.greater(advantages, ops.constant(0));

      const logRatio = ops.sub(logprob, referenceLogprobs);
      const score = options.lengthNormalized ? ops.sequenceMean(logRatio) : ops.sequenceSum(logRatio);
      const h = ops.pairDifference(score);
      const margin = scaled(beta, h);

      const logistic = negative(
        ops.add(
          scaled(1 - labelSmoothing, ops.logsigmoid(margin)),
          scaled(labelSmoothing, ops.logsigmoid(negative(margin))),
        ),
      );
      const distance = ops.sub(h, ops.constant(1 / (2 * beta)));
      const terms: { [name: string]: LossExpression } = {
        preference: options.loss === 'ipo' ? ops.mul(distance, distance) : logistic,
      };
      // Doubled, because half of the episodes are winners.
      if (sftCoefficient > 0) terms['sft'] = ops.where(won, scaled(-2 * sftCoefficient, logprob), ops.constant(0));

      const reward = scaled(beta, score);
      return {
        terms,
        // Both episodes of a pair have each value, so the mean over episodes is the mean over pairs for answers of any
        // length.
        episodeMetrics: {
          reward_margin: margin,
          reward_chosen: ops.pairDifference(ops.where(won, reward, ops.constant(0))),
          reward_rejected: negative(ops.pairDifference(ops.where(won, ops.constant(0), reward))),
          accuracy: ops.greater(margin, ops.constant(0)),
        },
      };
    },
  };
}
