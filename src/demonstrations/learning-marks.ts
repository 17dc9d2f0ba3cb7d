/*
 * Keys of a message that say whether it is learned: `weight` (OpenAI), `loss` (AgentTraj-L), `train` and `training` (Axolotl),
 * `trainable` and `loss_mask` (several trainers).
 */
import type { JsonObject } from '../contracts/json.js';

export const markKeys: readonly string[] = ['weight', 'loss', 'loss_mask', 'train', 'training', 'trainable'];

const meanings = new Map<unknown, boolean>([
  [true, true],
  [1, true],
  [false, false],
  [0, false],
]);

/**
 * Whether a message is learned; `undefined` if no key says so. Returns the problem of a mark that is neither yes nor no, and
 * of marks that contradict each other.
 */
export function learningMark(message: JsonObject): { readonly learned: boolean | undefined } | string {
  let learned: boolean | undefined;
  let by = '';
  for (const key of markKeys) {
    const mark = message[key];
    if (mark === undefined || mark === null) continue;
    const meaning = meanings.get(mark);
    if (meaning === undefined) return `"${key}" is not true, false, 1 or 0`;
    if (learned !== undefined && learned !== meaning) return `"${by}" and "${key}" contradict each other`;
    [learned, by] = [meaning, key];
  }
  return { learned };
}
