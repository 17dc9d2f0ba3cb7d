// Checks that a shared world or module has no visible effect: other episodes, and the order in which instances and
// worlds are created, must not change an episode.
import type { Environment } from '../../contracts/environment.js';
import { firstFound } from '../findings.js';
import { type EnvironmentCheck, onInstance, repeatable, unthrown } from './environment-context.js';
import { chooseAgain, type CheckedEpisode, episodeDifference, playAgain, playEpisode } from './play-episode.js';

/** What instances that play at the same time do at half-time. The world's limit of instances may cut this list. */
const fates: readonly ('play on' | 'stop' | 'are disposed of')[] = [
  ...(['play on', 'play on', 'are disposed of', 'play on', 'stop'] as const),
  ...Array.from({ length: 6 }, () => 'play on' as const),
];

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
        const instances: Environment[] = [];
        try {
          const some = fates.slice(0, context.contribution.play?.instances);
          for (let count = 0; count < some.length; count += 1) instances.push(await context.create(world));
          // Every turn awaits the same calls, so the episodes take turns.
          const games = some.map(async (fate, index) => {
            const episode = episodes[(shift + index) % episodes.length] as CheckedEpisode;
            const { task, turns } = episode;
            const limit = fate === 'play on' ? turns.length : Math.ceil(turns.length / 2);
            const again = await playEpisode(instances[index]!, task, context.random, chooseAgain(episode), limit);
            if (fate === 'are disposed of') await instances[index]!.dispose?.();
            return fate === 'play on'
              ? episodeDifference(episode, again, `beside ${some.length - 1} others`)
              : undefined;
          });
          return (await Promise.all(games)).find((difference) => difference !== undefined);
        } finally {
          for (const instance of instances) await instance.dispose?.();
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
