import type { Player } from '../contracts/player.js';
import { expertPlayer, randomPlayer } from '../rollout/players.js';
import type { OpenEnvironment } from './instances.js';

/** Names under which results tell of players that cannot learn. */
export type BaselineName = 'random' | 'oracle' | 'demonstrator';

/** The random player, and the experts there are: one that is missing is absent from results, never zero. */
export async function baselinePlayers({ pool }: OpenEnvironment): Promise<[BaselineName, Player][]> {
  const instance = await pool.acquire();
  const experts = (['oracle', 'demonstrator'] as const).filter((name) => instance.experts?.[name] !== undefined);
  pool.release(instance);
  return [['random', randomPlayer], ...experts.map((name): [BaselineName, Player] => [name, expertPlayer(name)])];
}
