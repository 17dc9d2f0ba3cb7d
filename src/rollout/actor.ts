import type { ActionFormat } from '../contracts/format.js';
import type { Player } from '../contracts/player.js';
import type { PolicyModel, Sampling } from '../contracts/policy.js';
import type { Toolbox } from './toolbox.js';

/** A policy model that writes actions in a format: the only actor whose episodes can be trained on. */
export interface ModelActor {
  readonly kind: 'model';
  readonly model: PolicyModel;
  readonly format: ActionFormat;
  readonly sampling: Sampling;
  /** Tokens after which an action is cut. */
  readonly maxActionTokens: number;
  /** Tokens after which an episode is truncated; absent: what the model can hold. */
  readonly maxEpisodeTokens?: number;
  /** The tools that it may call instead of acting. */
  readonly tools?: Toolbox;
}

/**
 * A player of the environment's own: the random baseline or an expert. Its actions are the environment's, and call no
 * tools.
 */
export interface EnvironmentActor {
  readonly kind: 'environment';
  readonly player: string;
  readonly tools?: undefined;
}

/** A player without tokens; what it says is the action, or calls a tool. */
interface PlayerActor {
  readonly kind: 'player';
  readonly player: Player;
  readonly tools?: Toolbox;
}

/** Whoever plays. */
export type Actor = ModelActor | EnvironmentActor | PlayerActor;

/** What stands before the first observation: the environment's rules, how to write an action, and how to call tools. */
export function systemPrompt(instructions: string, format?: ActionFormat, tools?: Toolbox): string {
  return [instructions, format?.instructions ?? '', tools?.instructions ?? '']
    .filter((part) => part !== '')
    .join('\n\n');
}
