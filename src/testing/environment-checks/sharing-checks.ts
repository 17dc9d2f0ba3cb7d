// Checks that a shared world or module has no visible effect: other episodes, and the order in which instances and
// worlds are created, must not change an episode.
import type { Environment } from '../../contracts/environment.js';
import type { Random } from '../../contracts/random.js';
import { shorten } from '../shorten.js';
import { instanceLimit, repeatable, unthrown, type CheckContext, type EnvironmentCheck } from './check-context.js';
import { differences, episodeBytes, playAgain, playEpisode, type CheckedEpisode } from './play-episode.js';

/** An instance that replays an episode next to others. */
interface Runner {
  readonly environment: Environment;
  readonly episode: CheckedEpisode;
  /** What happens halfway: the instance plays on, stops, or is disposed of. */
  readonly fate: 'plays' | 'left' | 'disposed';
}

/**
 * Replays episodes turn by turn: all first turns come before any second turn. Returns the replays in the given order.
 */
async function interleave(runners: readonly Runner[], random: Random): Promise<readonly CheckedEpisode[]> {
  // Each runner chooses its next action only after all runners have finished their turn.
  let arrive: (() => void)[] = [];
  let playing = runners.length;
  const nextRound = (): void => {
    const waiting = arrive;
    arrive = [];
    for (const go of waiting) go();
  };
  const round = (): Promise<void> =>
    new Promise((go) => {
      arrive.push(go);
      if (arrive.length === playing) nextRound();
    });
  return Promise.all(
    runners.map(async ({ environment, episode, fate }) => {
      const half = Math.ceil(episode.turns.length / 2);
      const limit = fate === 'plays' ? episode.turns.length : half;
      const choose = async (_: Environment, turn: number): Promise<string | undefined> => {
        await round();
        return episode.turns[turn]?.action;
      };
      const again = await playEpisode(environment, episode.task, random, choose, limit);
      if (fate === 'disposed') await environment.dispose?.();
      playing -= 1;
      if (arrive.length > 0 && arrive.length === playing) nextRound();
      return again;
    }),
  );
}

/** What happens to the neighbours of the checked episode. The world's limit of instances may cut this list. */
const neighbours: readonly Runner['fate'][] = [
  'plays',
  'disposed',
  'plays',
  'left',
  ...Array.from({ length: 6 }, () => 'plays' as const),
];

/** Replays an episode while others play in the same world, and returns differences as findings. */
async function besideOthers(context: CheckContext, episode: CheckedEpisode, shift: number): Promise<string[]> {
  const episodes = unthrown(context.randomEpisodes);
  const world = await context.openUnowned();
  const runners: Runner[] = [];
  const fates = (['plays', ...neighbours] as const).slice(0, instanceLimit(context));
  try {
    for (const [index, fate] of fates.entries()) {
      const other = episodes[(shift + index) % episodes.length] as CheckedEpisode;
      runners.push({ environment: await context.createUnowned(world), episode: index === 0 ? episode : other, fate });
    }
    const played = await interleave(runners, context.random);
    const found = runners.map(({ episode: before, fate }, index) => {
      const again = played[index] as CheckedEpisode;
      return fate === 'plays' ? differences(before, again, `beside ${fates.length - 1} others`) : [];
    });
    return found.flat().slice(0, 1);
  } finally {
    for (const { environment } of runners) await environment.dispose?.();
    await world.close?.();
  }
}

/** Why two episodes cannot play at the same time; undefined if they can. */
function alone(context: CheckContext): string | undefined {
  if (instanceLimit(context) < 2) return 'the world allows only one instance at a time';
  return unthrown(context.randomEpisodes).length < 2 ? 'there is only one episode' : undefined;
}

const checks: readonly EnvironmentCheck[] = [
  {
    id: 'instances-apart',
    title: 'two instances that play at the same time do not affect each other',
    severity: 'error',
    likelyCause: 'the state of an episode is in a module variable, in the world, or in a shared table',
    why: 'Many episodes play at once, each on its own instance. One would play the moves of another.',
    cure: 'Move the state of an episode from the module into the object that create() returns.',
    idle: alone,
    run: async (context) => {
      const episodes = unthrown(context.randomEpisodes);
      for (const [index, one] of episodes.entries()) {
        const other = episodes[(index + 1) % episodes.length] as CheckedEpisode;
        const runners: Runner[] = [];
        for (const episode of [one, other])
          runners.push({ environment: await context.createUnowned(), episode, fate: 'plays' });
        const played = await interleave(runners, context.random);
        for (const { environment } of runners) await environment.dispose?.();
        for (const [which, episode] of [one, other].entries()) {
          const beside = shorten((which === 0 ? other : one).task);
          const found = differences(episode, played[which] as CheckedEpisode, `beside ${beside}`);
          if (found.length > 0) return found;
        }
      }
      return [];
    },
  },
  {
    id: 'neighbours',
    title: 'an episode stays the same while others play, one is left and one is disposed of midway',
    severity: 'error',
    likelyCause: '`dispose` frees a slot, cache or connection of the world for all, or instances share a random stream',
    why: 'Dozens of episodes share a world, and some of them stop early. They would end or change the others.',
    cure: 'Let dispose() free only the resources of its own instance, and share only what no episode changes.',
    idle: alone,
    run: async (context) => {
      for (const [index, episode] of unthrown(context.randomEpisodes).slice(0, 3).entries()) {
        const found = await besideOthers(context, episode, index);
        if (found.length > 0) return found;
      }
      return [];
    },
  },
  {
    id: 'creation-order',
    title: 'the order and the number of created instances do not matter',
    severity: 'error',
    likelyCause: 'each new instance takes a number from a counter or random stream of the world',
    why: 'The number of instances and their tasks depend on timing. Results would depend on it.',
    cure: 'Use only the random streams of the calls, and number nothing that an agent can see.',
    idle: alone,
    run: async (context) => {
      const world = await context.otherWorld();
      // The first instance plays nothing. If more than five are allowed, the first two or three play nothing.
      const limit = Math.min(7, instanceLimit(context));
      const spare = Math.max(1, limit - 4);
      for (let instance = 0; instance < spare; instance += 1) await context.create(world);
      const episodes = unthrown(context.randomEpisodes).slice(0, limit - spare);
      const instances = new Map<CheckedEpisode, Environment>();
      for (const episode of episodes.toReversed()) instances.set(episode, await context.create(world));
      for (const episode of episodes) {
        const again = await playAgain(instances.get(episode) as Environment, episode, context.random);
        const found = differences(episode, again, 'on an instance made after others');
        if (found.length > 0) return found;
      }
      return [];
    },
  },
  {
    id: 'worlds-apart',
    title: 'two open worlds do not affect each other, and one works after the other is closed',
    severity: 'error',
    likelyCause: '`open` stores its resource in a module variable, and the first `close` frees it',
    why: 'A run may open several worlds of one environment: for training, evaluation or other options.',
    cure: 'Keep the resources of open() in the world that it returns, or count their users before you free them.',
    run: async (context) => {
      const [episode] = unthrown(context.randomEpisodes);
      if (episode === undefined) return [];
      const [one, other] = [await context.openUnowned(), await context.openUnowned()];
      const instance = await context.createUnowned(one);
      const half = episode.turns.length >> 1;
      const choose = async (_: Environment, turn: number): Promise<string | undefined> => {
        if (turn === half) {
          const beside = await context.createUnowned(other);
          await playAgain(beside, episode, context.random);
          await beside.dispose?.();
          await other.close?.();
        }
        return episode.turns[turn]?.action;
      };
      const again = await playEpisode(instance, episode.task, context.random, choose, episode.turns.length);
      await instance.dispose?.();
      await one.close?.();
      if (episodeBytes(again) !== episodeBytes(episode))
        return differences(episode, again, 'while another world was closed');
      const third = await context.openUnowned();
      const last = await context.createUnowned(third);
      const found = differences(
        episode,
        await playAgain(last, episode, context.random),
        'after two worlds were closed',
      );
      await last.dispose?.();
      await third.close?.();
      return found;
    },
  },
];

export const sharingChecks = checks.map(repeatable);
