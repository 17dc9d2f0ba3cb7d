// REINFORCE leave-one-out (RLOO), top to bottom.
//
// G episodes of one task are sampled together. With R_i the undiscounted sum of the rewards of episode i, every token that the policy sampled in
// it has the advantage
//
//   A_i = R_i - mean of R_j over the others, j != i      Kool et al. 2019, "Buy 4 REINFORCE samples, get a baseline for free!";
//                                                        for language models: Ahmadian et al. 2024, arXiv 2402.14740
//
// The baseline of an episode is made without it, and the episodes of a group are independent: the expected gradient of -A log p is that of the
// expected return, exactly. With level: turn the same is done turn by turn:
//
//   A_i,k = G_i,k - mean of G_j,k over the others that got as far as turn k,      G_i,k = r_i,k + turnDiscount G_i,k+1
//
// Which others got that far does not depend on what episode i does either, so this is unbiased too, and knows which turn a reward came after.
// It stays so only if a turn that no other member reached keeps its G, the baseline of nobody being 0: late turns are credited in full,
// however rarely they are reached. A group of one has no others at all, and is 0 throughout. A token's loss is
//
//   -A log p                                             importance: none, as published: one step per batch
//   -min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)      importance: clipped, with r = p(token) / p_sampler(token): PPO, arXiv 1707.06347
//   at most -dualClip A where A < 0                      dual clip, arXiv 1912.09729
//   + klCoefficient KL(p || p_reference)                 fixed or adaptive, in the reward (as published) or in the loss
//   - entropyCoefficient H(p)
//
// summed over an episode and averaged over episodes, which is the policy gradient; means over tokens make it depend on how long episodes are.
// verl 0.9.1 has PPO's loss with dualClip 3 and token means; TRL 1.16.0 clips one ratio per episode, the product over its tokens.
import type {
  Algorithm,
  AlgorithmHost,
  CompletedEpisode,
  LossExpression,
  LossInputs,
  LossOperations,
  TrainingBatch,
} from '@agentgym/cli';

import { dropsFlatGroups, type Options } from './options.js';

export { validate } from './options.js';

/** Sampled tokens of an episode or a turn, and what it earned. */
interface Member {
  readonly value: number;
  readonly tokens: readonly number[];
}

export function create(options: Options, { credit }: AlgorithmHost): Algorithm {
  const { level, noSignalBelow, turnDiscount } = options;
  const kl = credit.klControl(options);

  /** Each value less the mean of the others, R - (n mean - R) / (n - 1), and one alone as it is. Sums that are equal on paper are equal. */
  function lessTheOthers(values: readonly number[]): readonly number[] {
    if (values.length === 1) return values;
    const { mean, deviation } = credit.meanAndDeviation(values, noSignalBelow);
    return values.map((value) => (deviation === 0 ? 0 : ((value - mean) * values.length) / (values.length - 1)));
  }

  /** Some advantage of the group will not be 0. */
  function hasSignal(group: readonly CompletedEpisode[]): boolean {
    if (group.length < 2) return false;
    const rewards = group.map(({ turns }) => turns.map(({ reward }) => reward));
    const compared: number[][] = [];
    if (level === 'episode') {
      compared.push(rewards.map((row) => row.reduce((sum, reward) => sum + reward, 0)));
    } else {
      for (const row of rewards) {
        let next = 0;
        for (let turn = row.length - 1; turn >= 0; turn -= 1) {
          next = (row[turn] as number) + turnDiscount * next;
          (compared[turn] ??= []).push(next);
        }
      }
    }
    return compared.some((values) => lessTheOthers(values).some((advantage) => advantage !== 0));
  }

  /** What is compared with each other: whole episodes, or turns of one number. Groups of one are left out. */
  function comparisons(batch: TrainingBatch): readonly (readonly Member[])[] {
    const groups = credit.groupRows(batch).filter((rows) => rows.length > 1);
    if (level === 'episode') {
      const returns = credit.episodeReturns(batch);
      return groups.map((rows) =>
        rows.map((row) => ({ value: returns[row] as number, tokens: credit.actionTokens(batch, row).indices })),
      );
    }
    const grouped = new Set(groups.flat());
    const returns = credit.returnsToGo(batch, { token: 1, turn: turnDiscount });
    return credit
      .comparableTurns(batch)
      .map((turns) => turns.filter(({ row }) => grouped.has(row)))
      .map((turns) => turns.map(({ tokens }) => ({ value: returns[tokens[0] as number] as number, tokens })));
  }

  function advantagesOf(batch: TrainingBatch): Float64Array {
    const advantages = new Float64Array(batch.rows * batch.width);
    for (const members of comparisons(batch)) {
      const differences = lessTheOthers(members.map(({ value }) => value));
      for (const [i, { tokens }] of members.entries()) {
        for (const index of tokens) advantages[index] = differences[i] as number;
      }
    }
    return advantages;
  }

  /** What is made larger, and what it is logged by. */
  function objectiveOf(
    ops: LossOperations,
    inputs: LossInputs,
  ): { readonly objective: LossExpression; readonly metrics?: { readonly [name: string]: LossExpression } } {
    if (options.importance === 'clipped') return credit.clippedObjective(ops, inputs, options);
    return { objective: ops.mul(inputs.advantages, inputs.logprob) };
  }

  return {
    roles: kl.roles,
    initialState: kl.initialState,
    refillRounds: options.refillRounds,
    ...(dropsFlatGroups(options) && { select: (group) => (hasSignal(group) ? [group] : []) }),

    advantages: (batch, state) => {
      const { batch: penalised, ...rest } = kl.take(batch, state);
      return { ...rest, advantages: advantagesOf(penalised) };
    },

    weights: (minibatch) =>
      credit.aggregationWeights(
        minibatch,
        options.aggregation,
        options.constantLength ?? undefined,
        options.countEmpty,
      ),

    loss: (ops, inputs) => {
      const { objective, metrics } = objectiveOf(ops, inputs);
      const terms: { [name: string]: LossExpression } = {
        policy: ops.sub(ops.constant(0), objective),
        ...kl.terms(ops, inputs),
      };
      if (options.entropyCoefficient > 0) {
        terms['entropy'] = ops.mul(ops.constant(-options.entropyCoefficient), inputs.entropy);
      }
      return { terms, ...(metrics && { metrics }) };
    },
  };
}
