import type { Player } from '../contracts/player.js';
import { humanPlayer } from './human-player.js';
import { readScript } from './scripted-player.js';

/** The player, and the number of its actions, after which an episode ends at the latest; absent: unlimited. */
export interface ChosenPlayer {
  readonly policy: string | Player;
  readonly actions?: number;
  /** Whether a person left the game before its end. */
  readonly hasLeft?: () => boolean;
}

/** `--actions` is a script, `--policy` a name. Without either, the user plays. */
export async function choosePlayer(
  flags: { readonly policy?: string | undefined; readonly actions?: string | undefined },
  stdin: NodeJS.ReadableStream,
  prompts: NodeJS.WritableStream,
): Promise<ChosenPlayer> {
  if (flags.actions !== undefined) return readScript(flags.actions, stdin);
  if (flags.policy !== undefined && flags.policy !== 'human') return { policy: flags.policy };
  const human = humanPlayer(stdin, prompts);
  return { policy: human, hasLeft: human.hasLeft };
}
