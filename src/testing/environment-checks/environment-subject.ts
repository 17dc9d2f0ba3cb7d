import type { EnvironmentModule } from '../../contracts/environment-module.js';
import type { EnvironmentContribution } from '../../contracts/plugin.js';
import type { KitSettings, SubjectOf } from '../conformance-kit.js';

/** An environment for the kit: its module, options to test it with, and the facts in its contribution. */
export interface EnvironmentSubject extends SubjectOf<EnvironmentModule<never>> {
  readonly contribution: Pick<EnvironmentContribution, 'name' | 'facts' | 'play' | 'tools'>;
}

const efforts = {
  usual: { tasks: 6, turns: 40, ids: 20_000, malformed: 1_000 },
  small: { tasks: 2, turns: 15, ids: 500, malformed: 60 },
};

export interface EnvironmentCheckSettings extends KitSettings {
  /**
   * Effort of the kit. `small`: for options besides the defaults, and for worlds whose calls take long. Default: `usual`.
   * The four numbers below replace its own.
   */
  readonly effort?: keyof typeof efforts;
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
}

/** Settings with every default filled in. */
export type ResolvedSettings = ReturnType<typeof resolveSettings>;

export function resolveSettings(settings: EnvironmentCheckSettings) {
  return {
    seed: 0,
    secondsPerAction: 2,
    anyTextIsLegal: false,
    ...efforts[settings.effort ?? 'usual'],
    ...settings,
  };
}
