import type { PolicyModel } from '../contracts/policy.js';
import { type BatchRow, buildBatch } from '../rollout/build-batch.js';
import { type DemonstrationRows, numberedRows } from '../rollout/demonstration.js';

/**
 * How well a policy imitates games of an expert outside its training data: this measures learning, not memorisation.
 */
export interface Imitation {
  /**
   * Mean cross entropy of the expert's tokens, end tokens included, in nats. `train/loss` is the same for training
   * games.
   */
  readonly loss: number;
  /** Share of the expert's turns where the policy's most likely answer equals the expert's in every token. */
  readonly agreement: number;
}

/** Number of demonstrations in a batch. */
const atOnce = 64;

/** @param demonstrations in the model's tokens; at least one */
export async function measureImitation(
  model: PolicyModel,
  demonstrations: readonly DemonstrationRows[],
  signal: AbortSignal,
): Promise<Imitation> {
  let [loss, tokens, agreed, turns] = [0, 0, 0, 0];
  for (let start = 0; start < demonstrations.length; start += atOnce) {
    signal.throwIfAborted();
    const rows = numberedRows(demonstrations.slice(start, start + atOnce));
    const batch = buildBatch(rows, 1);
    const logprobs = await model.logprobs(batch);
    for (const [index, mask] of batch.mask.entries()) {
      if (mask !== 1) continue;
      loss -= logprobs[index] as number;
      tokens += 1;
    }
    const answers = await answerTurns(model, rows, signal);
    agreed += answers.filter(Boolean).length;
    turns += answers.length;
  }
  return { loss: loss / tokens, agreement: agreed / turns };
}

/**
 * For every turn: whether the policy, with the expert's observations and earlier actions, would act as the expert did. A row
 * is one sequence, so that a policy need not read its beginning again in every turn.
 */
async function answerTurns(model: PolicyModel, rows: readonly BatchRow[], signal: AbortSignal): Promise<boolean[]> {
  const games = rows.map(({ record: { tokens }, turns }, row) => ({ sequence: `imitation/${row}`, tokens, turns }));
  const longest = Math.max(...games.map(({ turns }) => turns.length));
  const agrees: boolean[] = [];
  try {
    for (let turn = 0; turn < longest; turn += 1) {
      const asked = games.flatMap(({ sequence, tokens, turns }) => {
        if (turn >= turns.length) return [];
        const [start, end] = turns[turn]!.sampled;
        return [{ sequence, before: tokens.slice(0, start), expected: tokens.slice(start, end) }];
      });
      const answers = await model.generate(
        asked.map(({ sequence, before, expected }) => ({
          sequence,
          tokens: before,
          endIds: model.encoder.endIds,
          maxTokens: expected.length,
          // Greedy decoding does not use the draws.
          draws: new Float64Array(expected.length).fill(1),
        })),
        { temperature: 0, topP: 1, topK: 0, exact: true },
        signal,
      );
      agrees.push(...answers.map(({ tokens }, index) => tokens.join() === asked[index]!.expected.join()));
    }
    return agrees;
  } finally {
    model.release(games.map(({ sequence }) => sequence));
  }
}
