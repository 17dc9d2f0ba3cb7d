/**
 * Losses as expression trees: plain data that can be sent to a worker or over a network. `src/credit/` evaluates them
 * in float64, and an engine lowers them to a graph. Every expression is one number per token ([rows, width]);
 * reductions over a sequence are written back to each of its tokens. Expressions may share a subtree; sharing does not
 * change results.
 */
export type LossExpression =
  | { readonly op: 'constant'; readonly value: number }
  /** A per-token array of the batch: constant under differentiation. */
  | { readonly op: 'batch'; readonly name: LossInputName }
  /** A live quantity of the policy in training: derivatives flow through it. */
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
      /** `condition` is true if it is not 0; derivatives flow only through the chosen branch. */
      readonly op: 'where';
      readonly condition: LossExpression;
      readonly then: LossExpression;
      readonly otherwise: LossExpression;
    };

/** Per-token arrays of the batch that a loss can read. */
export type LossInputName =
  | 'logprobs'
  | 'referenceLogprobs'
  | 'values'
  | 'advantages'
  | 'returns'
  | 'rewards'
  | 'klCoefficient'
  /** 1 if a cap cut the episode. */
  | 'truncated';

/**
 * `logprob`: log probability of the token; `entropy`: of the distribution of the token (nats); `value`: the critic's.
 */
export type LiveName = 'logprob' | 'entropy' | 'value';

/**
 * Builds loss expressions. Derivatives are the usual ones; `clip` passes the derivative inside [low, high], bounds
 * included, and 0 outside. `sequenceSum` and `sequenceMean` are taken over the sampled tokens of an episode.
 * `pairDifference` is, on every token of episodes 2k and 2k + 1 of the batch, the value of episode 2k minus the value of
 * episode 2k + 1, each read at its first sampled token.
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
 * A loss: named terms. Their sum times the token's `weight` is summed over all sampled tokens. A loss is always a
 * *sum*, and `weight` contains the normalisation. So any split into micro-batches gives the same gradient, and a batch
 * without sampled tokens gives 0, not NaN. `metrics` have no derivative; each is averaged over sampled tokens.
 * `episodeMetrics` have the same value on all tokens of an episode, and are averaged over episodes.
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
  readonly episodeMetrics?: { readonly [name: string]: LossExpression };
}

/** Live quantities of a policy model on a batch, [rows, width] each. Values where the mask is 0 are not read. */
export interface LiveArrays {
  readonly logprob: Float64Array;
  /** Absent if the policy model cannot tell. */
  readonly entropy?: Float64Array;
  /** Absent without a value head. */
  readonly value?: Float64Array;
}

/** A loss on a batch, and its derivatives. */
export interface EvaluatedLoss {
  /** Each term's sum over sampled tokens of weight * term. */
  readonly terms: { readonly [name: string]: number };
  /** Each metric's sum over sampled tokens, unweighted. */
  readonly metrics: { readonly [name: string]: number };
  /** [rows, width] derivative of the sum of all terms by each live quantity; 0 where the mask is 0. */
  readonly gradients: { readonly [Name in LiveName]: Float64Array };
}

/**
 * A loss per sampled token that has a name, with the ratio r = exp(logprob - logprobs) and the advantage A:
 * - `cross_entropy`: -logprob
 * - `policy_gradient`: -A logprob (Williams 1992)
 * - `importance_sampling`: -r A
 * - `ppo`: -min(r A, clip(r, low, high) A) (Schulman et al. 2017, equation 7)
 * - `cispo`: -stopGradient(clip(r, low, high)) A logprob (MiniMax 2025, arXiv 2506.13585, equation 4)
 *
 * `low` is 0 and `high` is Infinity if there is no such bound.
 */
export type NamedLoss =
  | { readonly name: 'cross_entropy' | 'policy_gradient' | 'importance_sampling' }
  | { readonly name: 'ppo' | 'cispo'; readonly low: number; readonly high: number };
