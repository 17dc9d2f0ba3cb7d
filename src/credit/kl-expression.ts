import type { KlEstimator } from '../contracts/credit.js';
import type { LossExpression, LossInputs, LossOperations } from '../contracts/loss.js';

/**
 * Estimates KL(live || reference) on a token sampled by the live policy, from d = log p - log p_ref (Schulman 2020,
 * "Approximating KL divergence"): k1 = d, k2 = d^2 / 2, k3 = exp(-d) - 1 + d. k1 and k3 are unbiased, and k3 is never
 * negative. As a loss on the policy's own samples, k2 and `k3-straight-through` have the expected derivative of the
 * divergence; the expected derivative of k1 is 0.
 */
export function klExpression(ops: LossOperations, inputs: LossInputs, estimator: KlEstimator): LossExpression {
  const d = ops.sub(inputs.logprob, inputs.referenceLogprobs);
  switch (estimator) {
    case 'k1':
      return d;
    case 'abs':
      return ops.max(d, ops.sub(ops.constant(0), d));
    case 'k2':
      return half(d);
    case 'k3':
      return k3(d);
    case 'k3-straight-through':
      return ops.add(ops.stopGradient(ops.sub(k3(d), half(d))), half(d));
  }

  function half(of: LossExpression): LossExpression {
    return ops.mul(ops.constant(0.5), ops.mul(of, of));
  }

  function k3(of: LossExpression): LossExpression {
    return ops.add(ops.sub(ops.exp(ops.sub(ops.constant(0), of)), ops.constant(1)), of);
  }
}
