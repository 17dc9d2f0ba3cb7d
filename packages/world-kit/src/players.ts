import type { Random } from '@agentgym/cli';

/** The share of turns in which a demonstrator does anything instead of what its plan says. */
const slips = 0.25;

/** Whether a demonstrator slips in this turn: in one of four. Takes one number of the stream. */
export function isSlip(random: Random): boolean {
  return random.uniform() < slips;
}

/** The action of a player by its name. Throws if the world has no such player. */
export function playAs(player: string, world: string, players: Readonly<Record<string, () => string>>): string {
  const play = Object.hasOwn(players, player) ? players[player] : undefined;
  if (play === undefined) throw new Error(`${world} has no player "${player}"`);
  return play();
}

/** What an instance plays. Throws before its first `reset`. */
export function afterReset<Played>(played: Played | undefined, world: string): Played {
  if (played === undefined) throw new Error(`${world} needs reset() first`);
  return played;
}
