/**
 * Episodes as the arrays that training works on: row-major, `rows` x `width`, padded on the right. Index t is the token
 * *at* t:
 * `logprobs[t] = log p(tokens[t] | tokens[<t])`, `values[t] = V(tokens[<t])`; the engine shifts, nobody else. What
 * stands where `mask` is 0 must not matter, NaN included: select, never multiply.
 */
export interface TrainingBatch {
  readonly rows: number;
  readonly width: number;
  /** [rows, width] token ids; 0 in padding. */
  readonly tokens: Int32Array;
  /** [rows] tokens before padding; a trailing observation counts. */
  readonly length: Int32Array;
  /** [rows, width] 1 on tokens that the policy sampled, its end token included. */
  readonly mask: Uint8Array;
  /** [rows, width] number of the turn a sampled token belongs to, -1 elsewhere. */
  readonly turn: Int32Array;
  /** [rows, width] factor of the token's loss terms; carries the normalisation over the whole minibatch. */
  readonly weight: Float64Array;
  /** [rows, width] the sampler's log probabilities: the denominator of the ratio. */
  readonly logprobs: Float64Array;
  /** [rows, width] log probabilities of the reference, where the algorithm asked for the role. */
  readonly referenceLogprobs?: Float64Array;
  /** [rows, width] the critic's values, where the algorithm asked for the role. */
  readonly values?: Float64Array;
  /** [rows, width] each turn's reward on the last sampled token of that turn; placed by the core alone. */
  readonly rewards: Float64Array;
  /** [rows, width] what the algorithm made of the rewards. */
  readonly advantages: Float64Array;
  /** [rows, width] targets of the critic. */
  readonly returns?: Float64Array;
  /** [rows, width] weight of the divergence from the reference, where the algorithm changes it from batch to batch. */
  readonly klCoefficient?: Float64Array;
  /** [rows] return of the task's greedy episode, where the algorithm asked for the role. */
  readonly greedyReturn?: Float64Array;
  /** [rows] rows with the same number are episodes of one task sampled together; members are adjacent. */
  readonly group: Int32Array;
  /** [rows] 1 where a cap cut the episode. */
  readonly truncated: Uint8Array;
  /** [rows] value of the state after the cut; 0 where not truncated or where there is no critic. */
  readonly bootstrapValue: Float64Array;
  /** Sampling temperature: log probabilities are of log-softmax(logits / temperature). */
  readonly temperature: number;
}
