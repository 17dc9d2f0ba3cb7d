// Expert iteration, top to bottom: reinforcement learning by fine-tuning on one's own successes.
//
// In every step the policy plays, a filter keeps good episodes, and the policy imitates them. On the sampled tokens of
// kept episodes the loss is
//
//   -log p(token)                              cross entropy, as on demonstrations
//   + klCoefficient KL(p || p_reference)       fixed or adaptive, in the loss
//   - entropyCoefficient H(p)
//
// Anthony et al. 2017, arXiv 1705.08439, section 3: an expert (there a tree search) improves on the policy, and the
// policy learns to imitate the expert. Here the expert is the policy itself without its failures, as in STaR (arXiv
// 2203.14465), ReST (arXiv 2308.08998, section 3) and, for agents, AgentEvol (AgentGym, arXiv 2406.04151). This is the
// policy gradient of the reward 1[kept] without a baseline, divided by the number of kept episodes or tokens: a bad
// episode has no cost; it is only not imitated.
//
// The filter takes successes, or returns above a threshold (ReST; AgentEvol's code: 0.99); at most a fixed number per
// task, so that easy tasks do not outweigh hard ones (ReST-EM, arXiv 2312.06585: 10; AgentEvol: 1); and no episode
// twice (rejection sampling fine-tuning, arXiv 2308.01825). STaR, ReST-EM and AgentEvol fit the base model anew in
// every iteration. This algorithm continues from the current weights, like the improvement steps of ReST.
import type { Algorithm, AlgorithmHost, CompletedEpisode, LossExpression } from '@agentgym/cli';

import type { Options } from './options.js';

export { validate } from './options.js';

/** The tokens that the policy sampled in an episode, as one string. */
function sampledTokens({ sequences = [] }: CompletedEpisode): string {
  return sequences.flatMap(({ mask, tokens }) => tokens.filter((_, index) => mask[index] === 1)).join(' ');
}

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  const kl = credit.klControl({ ...options, klIn: 'loss' });

  function wentWell({ success, return: earned }: CompletedEpisode): boolean {
    return options.keep === 'success' ? success : earned > (options.returnAbove ?? Infinity);
  }

  /**
   * The episodes of a group that are imitated: the highest return first, equal returns in the order of play. Of copies,
   * only the first is kept.
   */
  function imitated(group: readonly CompletedEpisode[]): readonly CompletedEpisode[] {
    const seen = new Set<string>();
    return group
      .filter(wentWell)
      .sort((left, right) => right.return - left.return)
      .filter((episode) => {
        const tokens = sampledTokens(episode);
        const isNew = tokens !== '' && !(options.distinct && seen.has(tokens));
        seen.add(tokens);
        return isNew;
      })
      .slice(0, options.perTask ?? group.length);
  }

  return {
    roles: kl.roles,
    initialState: kl.initialState,
    refillRounds: options.refillRounds,

    select: (group) => {
      const unit = imitated(group);
      return unit.length === 0 ? [] : [unit];
    },

    advantages: (batch, state) => {
      const { batch: kept, metrics, ...rest } = kl.take(batch, state);
      const { length } = credit.actionTokens(kept);
      return {
        ...rest,
        advantages: credit.spreadOverTokens(kept, new Float64Array(length).fill(1)),
        metrics: { ...metrics, episodes_kept: length },
      };
    },

    weights: (minibatch) =>
      credit.aggregationWeights(minibatch, options.aggregation, options.constantLength ?? undefined),

    loss: (ops, inputs) => {
      // The advantage is 1, unless log probabilities are recomputed: then it is the weight that corrects for the
      // sampler.
      const imitation = ops.sub(ops.constant(0), ops.mul(inputs.advantages, inputs.logprob));
      const terms: { [name: string]: LossExpression } = { policy: imitation, ...kl.terms(ops, inputs) };
      if (options.entropyCoefficient > 0) {
        terms['entropy'] = ops.mul(ops.constant(-options.entropyCoefficient), inputs.entropy);
      }
      return { terms };
    },
  };
}
