import type { ActionFormat } from '../contracts/format.js';
import type { Player, TextPlayer } from '../contracts/player.js';
import type { PolicyModel, Sampling } from '../contracts/policy.js';
import type { Toolbox } from './toolbox.js';

/** A policy model that writes actions in a format. Only its episodes can be used for training. */
export interface ModelActor {
  readonly kind: 'model';
  readonly model: PolicyModel;
  readonly format: ActionFormat;
  readonly sampling: Sampling;
  /** Tokens after which an action is cut. */
  readonly maxActionTokens: number;
  /** Tokens after which an episode is truncated; absent: the model's limit. */
  readonly maxEpisodeTokens?: number;
  /** The tools that it may call instead of acting. */
  readonly tools?: Toolbox;
}

/**
 * The environment's player: the random baseline or an expert. The environment chooses its actions, and it calls no
 * tools.
 */
export interface EnvironmentActor {
  readonly kind: 'environment';
  readonly player: string;
  readonly tools?: undefined;
}

/** A player without tokens. */
interface PlayerActor {
  readonly kind: 'player';
  readonly player: Player | TextPlayer;
  /** How it writes actions. Absent: its text is the action. */
  readonly format?: ActionFormat;
  readonly tools?: Toolbox;
}

/** A text model, not a person or a script: it has limits of its own, and something to free. */
export function isTextPlayer(player: Player | TextPlayer): player is TextPlayer {
  return 'concurrency' in player;
}

/** Anything that can play an episode. */
export type Actor = ModelActor | EnvironmentActor | PlayerActor;

/** The text before the first observation: the environment's rules, how to write an action, and how to call tools. */
export function systemPrompt(instructions: string, format?: ActionFormat, tools?: Toolbox): string {
  const aboutTools = format?.readCall === undefined ? tools?.instructions : tools?.instructionsBesideFunctions;
  return [instructions, format?.instructions ?? '', aboutTools ?? ''].filter((part) => part !== '').join('\n\n');
}
