// Checks that a shared world or module has no visible effect: other episodes, and the order in which instances and
// worlds are created, must not change an episode.
import type { Environment } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { firstFound } from '../findings.js';
import { type EnvironmentCheck, onInstance, repeatable, unthrown } from './environment-context.js';
import {
  chooseAgain,
  type CheckedEpisode,
  episodeDifference,
  playAgain,
  playEpisode,
  playTurns,
} from './play-episode.js';

/** An instance that replays an episode next to others. */
interface Runner {
  readonly environment: Environment;
  readonly episode: CheckedEpisode;
  /** What happens halfway: the instance plays on, stops, or is disposed of. */
  readonly fate: 'plays' | 'left' | 'disposed';
}

/** The fates of instances that play at the same time. The world's limit of instances may cut this list. */
const fates: readonly Runner['fate'][] = [
  ...(['plays', 'plays', 'disposed', 'plays', 'left'] as const),
  ...Array.from({ length: 6 }, () => 'plays' as const),
];

/** Replays episodes turn by turn: all first turns come before any second turn. */
async function interleave(runners: readonly Runner[], random: Random): Promise<ReadonlyMap<Runner, CheckedEpisode>> {
  const played = new Map<Runner, CheckedEpisode>();
  const games = runners.map((runner) => {
    const { environment, episode, fate } = runner;
    const { length } = episode.turns;
    const limit = fate === 'plays' ? length : Math.ceil(length / 2);
    return { runner, game: playTurns(environment, episode.task, random, chooseAgain(episode), limit) };
  });
  while (played.size < games.length) {
    const turn = games.map(async ({ runner, game }) => {
      const next = played.has(runner) ? undefined : await game.next();
      if (next?.done !== true) return;
      if (runner.fate === 'disposed') await runner.environment.dispose?.();
      played.set(runner, next.value);
    });
    await Promise.all(turn);
  }
  return played;
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'instances-apart',
    title:
      'an episode stays the same in any of eleven instances that play at once, of which one is left and one is disposed of midway',
    cure: 'Keep the state of an episode in the object that create() returns. Let dispose() free only what is its own, and number nothing that an agent can see.',
    idle: ({ contribution }) =>
      (contribution.play?.instances ?? Infinity) < 2 ? 'the world allows only one instance at a time' : undefined,
    run: (context) => {
      const episodes = unthrown(context);
      return firstFound(episodes.slice(0, 3).keys(), async (shift) => {
        const world = await context.open();
        const runners: Runner[] = [];
        try {
          for (const [index, fate] of fates.slice(0, context.contribution.play?.instances).entries()) {
            const episode = episodes[(shift + index) % episodes.length] as CheckedEpisode;
            runners.push({ environment: await context.create(world), episode, fate });
          }
          const played = await interleave(runners, context.random);
          return await firstFound(played, ([{ episode, fate }, again]) =>
            fate === 'plays' ? episodeDifference(episode, again, `beside ${runners.length - 1} others`) : undefined,
          );
        } finally {
          for (const { environment } of runners) await environment.dispose?.();
          await world.close?.();
        }
      });
    },
  },
  {
    id: 'worlds-apart',
    title: 'two open worlds do not affect each other, and one works after the other is closed',
    cure: 'Keep the resources of open() in the world that it returns, or count their users before you free them.',
    run: async (context) => {
      const [episode] = unthrown(context);
      if (episode === undefined) return undefined;
      const replay = (environment: Environment) => playAgain(environment, episode, context.random);
      const [one, other] = [await context.open(), await context.open()];
      const again = await onInstance(
        context,
        (instance) => {
          const choose = async (_: Environment, turn: number): Promise<string | undefined> => {
            if (turn === episode.turns.length >> 1) {
              await onInstance(context, replay, other);
              await other.close?.();
            }
            return episode.turns[turn]?.action;
          };
          return playEpisode(instance, episode.task, context.random, choose, episode.turns.length);
        },
        one,
      );
      await one.close?.();
      const third = await onInstance(context, replay, await context.open());
      return [
        episodeDifference(episode, again, 'while another world was closed'),
        episodeDifference(episode, third, 'after two worlds were closed'),
      ];
    },
  },
];

export const sharingChecks: readonly EnvironmentCheck[] = checks.map(repeatable);
