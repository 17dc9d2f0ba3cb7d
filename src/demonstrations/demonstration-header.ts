import type { SplitName } from '../contracts/environment.js';
import type { JsonObject } from '../contracts/json.js';
import { splitNames } from '../rollout/split-names.js';

/** An environment, for records of what was played in it. */
export interface PlayedEnvironment {
  readonly name: string;
  /** Plugin that provides it. */
  readonly package: string;
  readonly version: string;
  /** All options, with defaults. */
  readonly options: JsonObject;
}

/**
 * The first line of a file of demonstrations. It describes all episodes up to the next header, so files may be joined
 * with `cat`.
 */
export interface DemonstrationHeader {
  readonly formatVersion: 1;
  readonly document: 'demonstrations';
  readonly environment: PlayedEnvironment;
  readonly split: SplitName;
  /** Who played: an expert, `random`, a run or a folder with a model. */
  readonly player: string;
  /** Sampling temperature of a player with tokens. */
  readonly temperature?: number | undefined;
  /** Turns after which an episode was cut. */
  readonly horizon: number;
  readonly seed: number;
  /** `success`: lost episodes were left out. */
  readonly filter?: 'success' | undefined;
}

/** The header of episodes of an environment. */
export function headerOf(
  { name, package: from, version, options }: PlayedEnvironment,
  play: Omit<DemonstrationHeader, 'formatVersion' | 'document' | 'environment'>,
): DemonstrationHeader {
  return {
    formatVersion: 1,
    document: 'demonstrations',
    environment: { name, package: from, version, options },
    ...play,
  };
}

/** Whether a value is a header, of any version. */
export function isHeader(value: JsonObject): boolean {
  return value['document'] === 'demonstrations';
}

/** The header, or its problem. */
export function parseHeader(value: JsonObject): DemonstrationHeader | string {
  const { formatVersion, environment, split, player, temperature, horizon, seed, filter } = value;
  if (formatVersion !== 1) return `its "formatVersion" is ${JSON.stringify(formatVersion)}, not 1`;
  if (!isObject(environment) || !isObject(environment['options'])) return '"environment" has no options';
  for (const key of ['name', 'package', 'version']) {
    if (typeof environment[key] !== 'string') return `"environment.${key}" is not a string`;
  }
  if (!(splitNames as readonly unknown[]).includes(split)) return '"split" is not train, validation or test';
  if (typeof player !== 'string') return '"player" is not a string';
  if (temperature !== undefined && typeof temperature !== 'number') return '"temperature" is not a number';
  if (typeof horizon !== 'number') return '"horizon" is not a number';
  if (typeof seed !== 'number') return '"seed" is not a number';
  if (filter !== undefined && filter !== 'success') return '"filter" is not "success"';
  return value as unknown as DemonstrationHeader;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
