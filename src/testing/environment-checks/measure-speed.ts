import type { CheckContext } from './check-context.js';
import { playAgain, type CheckedEpisode } from './play-episode.js';

/** Seconds of the measurement. */
const countedSeconds = 0.2;

/** Steps per second of random play, including resets; undefined if no task can be played. */
export async function measureSpeed(context: CheckContext): Promise<number | undefined> {
  const { random, sample, randomEpisodes } = context;
  const playable = randomEpisodes.filter(({ thrown, turns }) => thrown === undefined && turns.length > 0);
  if (playable.length === 0 || sample.length === 0) return undefined;
  const environment = await context.create();
  const begin = performance.now();
  let steps = 0;
  for (let round = 0; performance.now() - begin < 1000 * countedSeconds; round += 1) {
    const episode = playable[round % playable.length] as CheckedEpisode;
    const again = await playAgain(environment, episode, random);
    // An episode that cannot be repeated gives no speed. The check of repetition reports it.
    if (again.turns.length === 0) return undefined;
    steps += again.turns.length;
  }
  return Math.round((1000 * steps) / (performance.now() - begin));
}
