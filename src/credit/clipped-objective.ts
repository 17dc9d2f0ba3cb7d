import type { ClipOptions, ClippedObjective } from '../contracts/credit.js';
import type { LossExpression, LossInputs, LossOperations } from '../contracts/loss.js';

/**
 * min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A) (PPO, Schulman et al. 2017, equation 7; two bounds: DAPO, arXiv
 * 2503.14476). With `dualClip` C, at least C A if A < 0; with `ratioCap`, min(r, cap) instead of the first r. Metrics
 * are the shares of tokens at a bound.
 */
export function clippedObjective(
  ops: LossOperations,
  { logprob, logprobs, advantages }: LossInputs,
  { ratio = ops.exp(ops.sub(logprob, logprobs)), clipLow, clipHigh, dualClip = null, ratioCap = null }: ClipOptions,
): ClippedObjective {
  const zero = ops.constant(0);
  const [low, high] = [1 - clipLow, 1 + clipHigh];
  const losing = ops.greater(zero, advantages);
  const free = ratioCap === null ? ratio : ops.min(ratio, ops.constant(ratioCap));
  let objective = ops.min(ops.mul(free, advantages), ops.mul(ops.clip(ratio, low, high), advantages));
  const metrics: { [name: string]: LossExpression } = {
    ratio,
    clipped_low: ops.mul(losing, ops.greater(ops.constant(low), ratio)),
    clipped_high: ops.mul(ops.greater(advantages, zero), ops.greater(ratio, ops.constant(high))),
  };
  if (dualClip !== null) {
    const most = ops.constant(dualClip);
    objective = ops.where(losing, ops.max(objective, ops.mul(most, advantages)), objective);
    metrics['dual_clipped'] = ops.mul(losing, ops.greater(ratio, most));
  }
  return { objective, metrics };
}
