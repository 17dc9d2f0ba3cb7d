import type { Algorithm } from '../contracts/algorithm.js';
import type { TrainingBatch } from '../contracts/batch.js';
import type { PolicyModel, ReferenceModel } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { episodeRows } from '../credit/action-tokens.js';
import { selectRows } from '../rollout/select-rows.js';
import { logprobsOf } from '../rollout/split-temperatures.js';

/** The models that provide the data of an algorithm's roles. */
export interface RoleModels {
  readonly reference?: ReferenceModel;
  /** The policy itself if the trunk is shared. */
  readonly critic?: Pick<PolicyModel, 'values'>;
}

/**
 * Adds the data of an algorithm's roles to a batch, once for all its epochs: the reference's log probabilities, the
 * critic's values, and the value of the state after a truncation.
 */
export async function fillRoles(
  batch: TrainingBatch,
  { roles, critic: plan }: Algorithm,
  { reference, critic }: RoleModels,
): Promise<TrainingBatch> {
  let filled = batch;
  if (roles.includes('reference')) {
    if (reference === undefined) throw missing('a frozen reference');
    filled = { ...filled, referenceLogprobs: await logprobsOf(reference, batch) };
  }
  if (plan !== undefined) {
    if (critic?.values === undefined) throw missing('a value head');
    const values = await critic.values(batch);
    filled = { ...filled, values, bootstrapValue: await valuesAfterCut(batch, (probe) => critic.values?.(probe)) };
  }
  return filled;
}

/** [rows] V(all tokens) of the last row of truncated episodes: the critic's value of the token that would come next. */
async function valuesAfterCut(
  batch: TrainingBatch,
  values: (probe: TrainingBatch) => Promise<Float64Array> | undefined,
): Promise<Float64Array> {
  const rows = Array.from(batch.length.keys());
  const cut = new Set(
    episodeRows(batch)
      .flatMap((own) => own.slice(-1))
      .filter((row) => batch.truncated[row] === 1),
  );
  const width = batch.width + 1;
  const after = (row: number): number => row * width + (batch.length[row] as number);
  const probe = selectRows(batch, rows, width);
  probe.mask.fill(0);
  probe.turn.fill(-1);
  for (const row of rows) {
    probe.length[row] = (batch.length[row] as number) + 1;
    if (cut.has(row)) probe.mask[after(row)] = 1;
  }
  const found = await values(probe);
  return Float64Array.from(rows, (row) => (cut.has(row) ? (found?.[after(row)] ?? 0) : 0));
}

function missing(what: string): AgentgymError {
  return new AgentgymError('AG_LOSS_INPUT', { message: `The algorithm needs ${what}, but the policy has none.` });
}
