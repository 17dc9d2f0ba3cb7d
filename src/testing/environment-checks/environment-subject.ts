import type { EnvironmentModule } from '../../contracts/environment.js';
import type { EnvironmentContribution } from '../../contracts/plugin.js';
import type { KitSettings } from '../conformance-kit.js';

/** An environment for the kit: the facts in its contribution, its module's `open`, and options to test it with. */
export interface EnvironmentSubject<Options> extends EnvironmentModule<Options> {
  readonly contribution: Pick<EnvironmentContribution, 'name' | 'facts' | 'play'>;
  readonly options: Options;
}

/** Effort of the kit. */
export interface EnvironmentCheckSettings extends KitSettings {
  /** Number of tasks to play in each split. */
  readonly tasks?: number;
  /** Number of turns after which a random episode is left. */
  readonly turns?: number;
  /** Bounded splits up to this size are compared id by id; larger and unbounded splits by a sample of this size. */
  readonly ids?: number;
  /** Number of malformed actions to try. */
  readonly malformed?: number;
  /** Maximum seconds of one action. */
  readonly secondsPerAction?: number;
  /** Any text is a legal action (a conversation, for example): malformed actions need not be invalid. */
  readonly anyTextIsLegal?: boolean;
  /**
   * The built module with `open`. The kit plays it in a worker thread and in two fresh processes with different
   * locales, time zones and hash seeds.
   */
  readonly freshProcess?: URL;
  /** Name of the contribution, if the module is the entry of a plugin. */
  readonly freshContribution?: string;
  /** Whether to measure the steps per second of random play, which takes 0.2 seconds. */
  readonly speed?: boolean;
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
