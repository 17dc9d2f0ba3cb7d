import type { TrainingBatch } from '../contracts/batch.js';
import type { ActionTokens, Discounts } from '../contracts/credit.js';
import { actionTokens } from './action-tokens.js';

/** The value of the state after the cut of a truncated episode, which is that of its last row; 0 if nothing cut it. */
export function valueAfterCut({ bootstrapValue, truncated }: TrainingBatch, { rows }: ActionTokens): number {
  const last = rows.at(-1) as number;
  return truncated[last] === 1 ? (bootstrapValue[last] as number) : 0;
}

/** The discount of the step from each sampled token of an episode to the next; the last step leads out of it. */
export function stepDiscounts({ indices, turnEnds }: ActionTokens, { token, turn }: Discounts): readonly number[] {
  const ends = new Set(turnEnds);
  return indices.map((index) => (ends.has(index) ? token * turn : token));
}

/**
 * [rows, width] G_t = r_t + d_t G_(t+1) over the sampled tokens of an episode, in order; 0 elsewhere. The return after the
 * last token is 0 or, with `bootstrap`, the value after the cut of a truncated episode. If `token` is 1, the tokens of
 * a turn share its return.
 */
export function returnsToGo(batch: TrainingBatch, discounts: Discounts, bootstrap = false): Float64Array {
  const returns = new Float64Array(batch.rows * batch.width);
  for (const episode of actionTokens(batch)) {
    const steps = stepDiscounts(episode, discounts);
    let next = bootstrap ? valueAfterCut(batch, episode) : 0;
    for (let i = episode.indices.length - 1; i >= 0; i -= 1) {
      const index = episode.indices[i] as number;
      next = (batch.rewards[index] as number) + (steps[i] as number) * next;
      returns[index] = next;
    }
  }
  return returns;
}
