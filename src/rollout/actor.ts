import type { ActionFormat } from '../contracts/format.js';
import type { Player } from '../contracts/player.js';
import type { PolicyModel, Sampling } from '../contracts/policy.js';

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
}

/** A player without tokens; what it says is the action. */
export interface PlayerActor {
  readonly kind: 'player';
  readonly player: Player;
}

/** Whoever plays. */
export type Actor = ModelActor | PlayerActor;

/** What stands before the first observation: the environment's rules, then how to write an action. */
export function systemPrompt(instructions: string, format: ActionFormat): string {
  return [instructions, format.instructions].filter((part) => part !== '').join('\n\n');
}
