// Keys that lines of several layouts have.
import type { JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';

/** The problem of a key that must be a string or absent. */
export function optionalString(value: JsonObject, key: string): string | undefined {
  const found = value[key];
  return found === undefined || typeof found === 'string' ? undefined : `"${key}" is not a string`;
}

/** `success` as a boolean, 0 or 1; null counts as absent. Returns the problem of any other value. */
export function outcomeOf({ success }: JsonObject): Pick<DemonstratedEpisode, 'success'> | string {
  if (success === undefined || success === null) return {};
  if (success === true || success === 1) return { success: true };
  if (success === false || success === 0) return { success: false };
  return '"success" is not true or false';
}
