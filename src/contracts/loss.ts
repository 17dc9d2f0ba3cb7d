/**
 * Losses as expression trees: plain data that crosses a worker or a wire, evaluated in float64 by `src/credit/` and
 * lowered to a graph by an engine. Every expression stands for one number per token ([rows, width]); reductions over a
 * sequence are written back to each of its tokens. A subtree may be shared; sharing is not observable.
 */
export type LossExpression =
  | { readonly op: 'constant'; readonly value: number }
  /** A per-token array of the batch: constant under differentiation. */
  | { readonly op: 'batch'; readonly name: LossInputName }
  /** A live quantity of the policy that is being trained: derivatives flow through it. */
  | { readonly op: 'live'; readonly name: LiveName }
  | {
      readonly op: 'exp' | 'log' | 'logsigmoid' | 'stopGradient' | 'sequenceSum' | 'sequenceMean' | 'pairDifference';
      readonly of: LossExpression;
    }
  | {
      /** `min` and `max` send the derivative to the first operand on a tie; `greater` is 1 or 0, its derivative 0. */
      readonly op: 'add' | 'sub' | 'mul' | 'div' | 'min' | 'max' | 'greater';
      readonly left: LossExpression;
      readonly right: LossExpression;
    }
  | {
      /** `condition` is read as true where it is not 0; derivatives flow through the branch that is taken only. */
      readonly op: 'where';
      readonly condition: LossExpression;
      readonly then: LossExpression;
      readonly otherwise: LossExpression;
    };

/** Per-token arrays that a loss reads off the batch. */
export type LossInputName =
  | 'logprobs'
  | 'referenceLogprobs'
  | 'values'
  | 'advantages'
  | 'returns'
  | 'rewards'
  | 'klCoefficient'
  /** 1 where the row was cut by a cap. */
  | 'truncated';

/**
 * `logprob`: log probability of the token; `entropy`: of the distribution it was drawn from (nats); `value`: the
 * critic's.
 */
export type LiveName = 'logprob' | 'entropy' | 'value';

/**
 * Builds loss expressions. Derivatives are the usual ones; `clip` passes the derivative inside [low, high], bounds
 * included, and 0 outside. `sequenceSum` and `sequenceMean` run over the sampled tokens of a row. `pairDifference` is,
 * on every token of rows 2k and 2k + 1, the value of row 2k minus that of row 2k + 1, read at the first sampled token
 * of each.
 */
export interface LossOperations {
  constant(value: number): LossExpression;
  add(left: LossExpression, right: LossExpression): LossExpression;
  sub(left: LossExpression, right: LossExpression): LossExpression;
  mul(left: LossExpression, right: LossExpression): LossExpression;
  div(left: LossExpression, right: LossExpression): LossExpression;
  min(left: LossExpression, right: LossExpression): LossExpression;
  max(left: LossExpression, right: LossExpression): LossExpression;
  greater(left: LossExpression, right: LossExpression): LossExpression;
  clip(of: LossExpression, low: number, high: number): LossExpression;
  where(condition: LossExpression, then: LossExpression, otherwise: LossExpression): LossExpression;
  exp(of: LossExpression): LossExpression;
  log(of: LossExpression): LossExpression;
  logsigmoid(of: LossExpression): LossExpression;
  stopGradient(of: LossExpression): LossExpression;
  sequenceSum(of: LossExpression): LossExpression;
  sequenceMean(of: LossExpression): LossExpression;
  pairDifference(of: LossExpression): LossExpression;
}

/** Every input a loss may read, as expressions. */
export type LossInputs = { readonly [Name in LossInputName | LiveName]: LossExpression };

/**
 * A loss: named terms whose sum, times the token's `weight`, is summed over all sampled tokens. It is always a *sum*:
 * the normalisation stands in `weight`, so that any split into micro-batches gives the same gradient and a batch
 * without sampled tokens is 0, not NaN.
 * `metrics` are read off without derivative; each is averaged over sampled tokens. `rowMetrics` stand on all tokens of
 * a row, and are averaged over rows.
 *
 * @example
 * ```ts
 * // clipped-loss.ts
 * import type { Loss, LossInputs, LossOperations } from '@agentgym/cli';
 *
 * // PPO's clipped surrogate (Schulman 2017, equation 7), with the mean ratio beside it.
 * export function clippedLoss(ops: LossOperations, { logprob, logprobs, advantages }: LossInputs): Loss {
 *   const ratio = ops.exp(ops.sub(logprob, logprobs));
 *   const clipped = ops.clip(ratio, 0.8, 1.2);
 *   const surrogate = ops.min(ops.mul(ratio, advantages), ops.mul(clipped, advantages));
 *   return { terms: { policy: ops.sub(ops.constant(0), surrogate) }, metrics: { ratio } };
 * }
 * ```
 */
export interface Loss {
  readonly terms: { readonly [name: string]: LossExpression };
  readonly metrics?: { readonly [name: string]: LossExpression };
  readonly rowMetrics?: { readonly [name: string]: LossExpression };
}
