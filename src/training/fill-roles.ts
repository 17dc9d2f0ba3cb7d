import type { Algorithm } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { PolicyModel, ReferenceModel } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Who answers for what an algorithm needs. */
export interface RoleModels {
  readonly reference?: ReferenceModel;
  /** The policy itself where the trunk is shared. */
  readonly critic?: Pick<PolicyModel, 'values'>;
}

/**
 * Adds what the roles of an algorithm know of a batch, once for all its epochs: the reference's log probabilities; the critic's values, and
 * the value of where a cap cut an episode.
 */
export async function fillRoles(
  batch: TrainingBatch,
  { roles, critic: plan }: Algorithm,
  { reference, critic }: RoleModels,
): Promise<TrainingBatch> {
  let filled = batch;
  if (roles.includes('reference')) {
    if (reference === undefined) throw missing('a frozen reference');
    filled = { ...filled, referenceLogprobs: await reference.logprobs(batch) };
  }
  if (plan !== undefined) {
    if (critic?.values === undefined) throw missing('a value head');
    const values = await critic.values(batch);
    filled = { ...filled, values, bootstrapValue: await valuesAfterCut(batch, (probe) => critic.values?.(probe)) };
  }
  return filled;
}
/** [rows] V(all tokens) of truncated rows: what the critic says of the token that would come next. */
async function valuesAfterCut(
  batch: TrainingBatch,
  values: (probe: TrainingBatch) => Promise<Float64Array> | undefined,
): Promise<Float64Array> {
  const width = batch.width + 1;
  const tokens = new Int32Array(batch.rows * width);
  const mask = new Uint8Array(batch.rows * width);
  const after = (row: number): number => row * width + (batch.length[row] as number);
  for (let row = 0; row < batch.rows; row += 1) {
    tokens.set(batch.tokens.subarray(row * batch.width, (row + 1) * batch.width), row * width);
    if (batch.truncated[row] === 1) mask[after(row)] = 1;
  }
  const zeros = (): Float64Array => new Float64Array(batch.rows * width);
  const found = await values({
    ...batch,
    width,
    tokens,
    mask,
    length: batch.length.map((length) => length + 1),
    turn: new Int32Array(batch.rows * width).fill(-1),
    weight: zeros(),
    logprobs: zeros(),
    rewards: zeros(),
    advantages: zeros(),
  });
  return Float64Array.from(batch.truncated, (truncated, row) => (truncated === 1 ? (found?.[after(row)] ?? 0) : 0));
}

function missing(what: string): AgentgymError {
  return new AgentgymError('AG_LOSS_INPUT', { message: `The algorithm needs ${what}, and there is none.` });
}
