import type { EnvironmentModule } from '../../contracts/environment.js';
import type { EnvironmentContribution } from '../../contracts/plugin.js';
import type { KitSettings } from '../conformance-kit.js';

/**
 * An environment as the kit takes it: what the contribution says of it, its module's `open`, and options to try it
 * with.
 */
export interface EnvironmentSubject<Options> extends EnvironmentModule<Options> {
  readonly contribution: Pick<EnvironmentContribution, 'name' | 'facts' | 'progressFalls' | 'play'>;
  readonly options: Options;
}

/** How hard the kit tries. */
export interface EnvironmentCheckSettings extends KitSettings {
  /** Tasks of each split that are played. */
  readonly tasks?: number;
  /** Turns after which a random episode is left. */
  readonly turns?: number;
  /** Bounded splits up to this size are compared id by id; larger and unbounded ones by a sample of this size. */
  readonly ids?: number;
  /** Malformed actions to try. */
  readonly malformed?: number;
  /** Seconds that one action may take. */
  readonly secondsPerAction?: number;
  /** Any text is a legal action (a conversation, say): malformed actions need not be flagged. */
  readonly anyTextIsLegal?: boolean;
  /**
   * Built module with `open`, to be played in two fresh processes that differ in locale, time zone and hash seed, and
   * in a worker thread.
   */
  readonly freshProcess?: URL;
  /** The module is a plugin's entry, and this the contribution in it. */
  readonly freshContribution?: string;
}

/** Settings with every default filled in. */
export interface ResolvedSettings {
  readonly seed: number;
  readonly tasks: number;
  readonly turns: number;
  readonly ids: number;
  readonly malformed: number;
  readonly secondsPerAction: number;
  readonly anyTextIsLegal: boolean;
  readonly freshProcess: URL | undefined;
  readonly freshContribution: string | undefined;
}

export function resolveSettings(settings: EnvironmentCheckSettings): ResolvedSettings {
  return {
    seed: settings.seed ?? 0,
    tasks: settings.tasks ?? 6,
    turns: settings.turns ?? 40,
    ids: settings.ids ?? 20_000,
    malformed: settings.malformed ?? 1_000,
    secondsPerAction: settings.secondsPerAction ?? 2,
    anyTextIsLegal: settings.anyTextIsLegal ?? false,
    freshProcess: settings.freshProcess,
    freshContribution: settings.freshContribution,
  };
}
