import type { TrainingBatch } from '../contracts/batch.js';
import type { Discounts } from '../contracts/credit.js';
import { actionTokens } from './action-tokens.js';

/** The discount of the step from each sampled token of a row to the next; the last step leads out of the episode. */
export function stepDiscounts(
  { indices, turnEnds }: ReturnType<typeof actionTokens>,
  { token, turn }: Discounts,
): readonly number[] {
  const ends = new Set(turnEnds);
  return indices.map((index) => (ends.has(index) ? token * turn : token));
}

/**
 * [rows, width] G_t = r_t + d_t G_(t+1) over the sampled tokens of a row, in order; 0 elsewhere. The return after the
 * last token is 0 or, with `bootstrap`, the value after the cut of a truncated episode. If `token` is 1, the tokens of
 * a turn share its return.
 */
export function returnsToGo(batch: TrainingBatch, discounts: Discounts, bootstrap = false): Float64Array {
  const returns = new Float64Array(batch.rows * batch.width);
  for (let row = 0; row < batch.rows; row += 1) {
    const sampled = actionTokens(batch, row);
    const steps = stepDiscounts(sampled, discounts);
    let next = bootstrap && batch.truncated[row] === 1 ? (batch.bootstrapValue[row] as number) : 0;
    for (let i = sampled.indices.length - 1; i >= 0; i -= 1) {
      const index = sampled.indices[i] as number;
      next = (batch.rewards[index] as number) + (steps[i] as number) * next;
      returns[index] = next;
    }
  }
  return returns;
}
