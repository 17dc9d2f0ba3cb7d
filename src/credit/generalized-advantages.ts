import type { TrainingBatch } from '../contracts/batch.js';
import type { ActionTokens, AdvantageEstimate, GeneralizedAdvantageOptions } from '../contracts/credit.js';
import { actionTokens } from './action-tokens.js';
import { stepDiscounts, valueAfterCut } from './returns-to-go.js';

/**
 * Generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438, equation 16) from one sampled token of
 * an episode to the next, skipping other tokens: delta_t = r_t + d_t V_(t+1) - V_t, A_t = delta_t + d_t lambda A_(t+1). At the level of
 * turns a step is a whole turn: its reward is the sum over its tokens, its value is the one before its first token, and
 * its tokens share one advantage. `returns` are A + V of the step, so the tokens of a turn have the same target.
 *
 * @throws RangeError if the batch has no values
 */
export function generalizedAdvantages(batch: TrainingBatch, options: GeneralizedAdvantageOptions): AdvantageEstimate {
  const { values } = batch;
  if (values === undefined) throw new RangeError('generalised advantages need a critic: the batch has no `values`');
  const advantages = new Float64Array(batch.rows * batch.width);
  const returns = new Float64Array(batch.rows * batch.width);
  for (const episode of actionTokens(batch)) {
    const steps = stepsOf(episode, options);
    let value = options.bootstrap ? valueAfterCut(batch, episode) : 0;
    let advantage = 0;
    for (const { tokens, discount } of steps.toReversed()) {
      const before = values[tokens[0] as number] as number;
      const reward = tokens.reduce((sum, index) => sum + (batch.rewards[index] as number), 0);
      advantage = reward + discount * value - before + discount * options.lambda * advantage;
      value = before;
      for (const index of tokens) {
        advantages[index] = advantage;
        returns[index] = advantage + before;
      }
    }
  }
  return { advantages, returns };
}

/** Sampled tokens one by one, or turn by turn, each with the discount to the next. */
function stepsOf(
  sampled: ActionTokens,
  options: GeneralizedAdvantageOptions,
): { readonly tokens: readonly number[]; readonly discount: number }[] {
  const discounts = stepDiscounts(sampled, options);
  if (options.level === 'token') {
    return sampled.indices.map((index, i) => ({ tokens: [index], discount: discounts[i] as number }));
  }
  let start = 0;
  return sampled.turnEnds.map((last) => {
    const end = sampled.indices.indexOf(last) + 1;
    const tokens = sampled.indices.slice(start, end);
    const discount = discounts.slice(start, end).reduce((product, by) => product * by, 1);
    start = end;
    return { tokens, discount };
  });
}
