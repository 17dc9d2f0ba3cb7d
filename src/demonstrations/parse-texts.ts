import type { JsonObject } from '../contracts/json.js';
import type { DemonstratedEpisode } from '../rollout/demonstrated-episode.js';
import { readOutcome } from './optional-keys.js';

/**
 * A line `{"task"?, "system"?, "success"?, "observations": [...], "texts": [...]}`, with as many observations as texts,
 * or one more. Returns the problem of a broken line.
 */
export function parseTexts(value: JsonObject): DemonstratedEpisode | string {
  const { observations, texts } = value;
  const outcome = readOutcome(value, ['task', 'system'], ['observations', 'texts']);
  if (typeof outcome === 'string') return outcome;
  if (!isTexts(observations)) return '"observations" is not a list of strings';
  if (!isTexts(texts) || texts.length === 0) return '"texts" is not a list of strings';
  const finalObservation = observations[texts.length];
  if (observations.length < texts.length || observations.length > texts.length + 1) {
    return `it has ${observations.length} observations for ${texts.length} texts`;
  }
  const { task, system } = value as Omit<DemonstratedEpisode, 'turns'>;
  const turns = texts.map((text, index) => ({ observation: observations[index] as string, text }));
  return { task, system, turns, finalObservation, ...outcome };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
