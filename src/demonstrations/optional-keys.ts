// Keys that lines of several layouts have.
import type { JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { unknownKey } from './known-keys.js';

/** The problem of the first of these keys that is neither a string nor absent. */
export function textProblem(value: JsonObject, keys: readonly string[]): string | undefined {
  const wrong = keys.find((key) => value[key] !== undefined && typeof value[key] !== 'string');
  return wrong === undefined ? undefined : `"${wrong}" is not a string`;
}

/**
 * What a line says of its outcome. Returns the problem of its keys.
 *
 * @param texts keys that are strings if they are there
 * @param others further keys that are read
 */
export function readOutcome(
  value: JsonObject,
  texts: readonly string[],
  others: readonly string[],
): Pick<DemonstratedEpisode, 'success'> | string {
  return textProblem(value, texts) ?? unknownKey(value, [...texts, ...others, 'success']) ?? outcomeOf(value);
}

/** `success` as a boolean, 0 or 1; null counts as absent. Returns the problem of any other value. */
function outcomeOf({ success }: JsonObject): Pick<DemonstratedEpisode, 'success'> | string {
  if (success === undefined || success === null) return {};
  if (success === true || success === 1) return { success: true };
  if (success === false || success === 0) return { success: false };
  return '"success" is not true or false';
}
