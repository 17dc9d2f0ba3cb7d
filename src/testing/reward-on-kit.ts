import type { Environment, StepResult } from '../contracts/environment.js';
import type { RewardScheme } from '../contracts/reward.js';
import { createRandom } from '../random/create-random.js';
import { rewardTurn } from '../rollout/reward-turn.js';
import { sourceOf } from '../rollout/source-of.js';
import { Kit, type KitSettings } from './conformance-kit.js';
import { act, conclude, freshCall } from './environment-checks/call-environment.js';
import type { EnvironmentSubject } from './environment-checks/environment-subject.js';
import { placeOfThrown, playEpisode } from './environment-checks/play-episode.js';
import { firstFound } from './findings.js';
import { createScheme, outsideBounds, type RewardSubject } from './reward-kit.js';
import { testEnvironmentHost } from './test-host.js';

export interface RewardOnSettings extends KitSettings {
  /** Number of training tasks that each player plays. */
  readonly tasks?: number;
  /** Number of turns after which an episode is cut; absent: the world's `maxTurns`, or 40. */
  readonly horizon?: number;
  /** The scheme is used next to an outcome reward: the law must hold after adding 1 for a success. */
  readonly term?: boolean;
}

/** An episode, its player, and the sum of its rewards. */
interface Played {
  readonly player: string;
  readonly task: string;
  readonly turns: readonly ScoredTurn[];
  readonly success: boolean;
  readonly total: number;
}

interface Context {
  readonly scheme: RewardScheme;
  readonly horizon: number;
  readonly played: readonly Played[];
  /** Reward of a success in addition to the scheme. */
  readonly outcome: number;
}

function describeEpisode({ player, task, turns }: Played): string {
  const { milestones } = turns.at(-1)?.facts ?? {};
  const reached = milestones === undefined ? '' : `, ${milestones.reached} of ${milestones.total} milestones`;
  return `(${player} on ${task}: ${turns.length} turns${reached})`;
}

/** Players by name: whether each asks the oracle in a turn, or else the random player. */
const players = {
  random: () => false,
  'the oracle in about every second turn': (_turn: number, uniform: number) => uniform < 0.5,
  'the oracle in most turns': (_turn: number, uniform: number) => uniform < 0.85,
  'the oracle, after three random turns': (turn: number) => turn >= 3,
  oracle: () => true,
};

/** A played turn, whose last one may be graded because it was cut. */
interface ScoredTurn extends Pick<StepResult, 'facts' | 'reward' | 'terminated' | 'truncated'> {
  readonly action: string;
}

/** The sum of the scores of the turns of an episode. */
function score(scheme: RewardScheme, turns: readonly ScoredTurn[], references: readonly string[] | undefined): number {
  return turns.reduce((sum, { action, facts, reward: native, terminated, truncated }, index) => {
    const turn = { text: action, action, facts, native, cut: false };
    const place = { previous: turns[index - 1]?.facts, references, terminated, truncated, index };
    return sum + scheme.score(rewardTurn(turn, place));
  }, 0);
}

/**
 * Plays an environment with a reward scheme and checks the law "every success scores above every failure", undiscounted:
 * a scheme that is correct on simulated facts may fail on the facts of a world. The players are the oracle, the random
 * player, mixtures of both, the oracle after a random start (late successes), and the oracle stopped one turn early
 * (failures close to success).
 */
export const rewardOnKit = new Kit<
  { readonly environment: EnvironmentSubject; readonly reward: RewardSubject },
  RewardOnSettings,
  Context
>({
  checks: [
    {
      id: 'both-outcomes',
      title: 'the episodes include successes and failures',
      cure: 'Use an environment with an oracle that can be won and lost: otherwise the law holds trivially.',
      run: ({ played }) => {
        const successes = played.filter(({ success }) => success).length;
        const both = successes > 0 && successes < played.length;
        return both ? undefined : `${successes} of ${played.length} episodes are successes`;
      },
    },
    {
      id: 'law',
      title: 'the worst success scores above the best failure',
      cure: 'Scale intermediate rewards by their number, and pay a success for skipped milestones.',
      run: ({ played, outcome }) => {
        const worst = played.filter(({ success }) => success).sort((a, b) => a.total - b.total)[0];
        const best = played.filter(({ success }) => !success).sort((a, b) => b.total - a.total)[0];
        if (worst === undefined || best === undefined || worst.total + outcome > best.total) return undefined;
        const failure = `a failure ${best.total} ${describeEpisode(best)}`;
        return `a success scores ${worst.total + outcome} ${describeEpisode(worst)}, ${failure}`;
      },
    },
    {
      id: 'bounds',
      title: 'every episode stays within the bounds',
      cure: 'Widen bounds() to the facts that the environment reports, or fix its facts.',
      run: ({ played, scheme, horizon }) =>
        firstFound(played, (episode) => {
          const { milestones } = episode.turns.at(-1)?.facts ?? {};
          const bounds = scheme.bounds({ horizon, ...(milestones && { milestones: milestones.total }) });
          const outside = outsideBounds(episode.total, bounds, episode.success);
          const kind = episode.success ? 'success' : 'failure';
          return outside && `a ${kind} ${describeEpisode(episode)} ${outside}`;
        }),
    },
  ],
  prepare: async (subject, settings, atEnd) => {
    const scheme = createScheme(subject.reward, settings.seed);
    const { open, options } = subject.environment;
    const random = createRandom(settings.seed ?? 0);
    const world = await open(options as never, testEnvironmentHost());
    atEnd(() => world.close?.());
    const environment = await world.create(freshCall());
    atEnd(() => environment.dispose?.());
    const { horizon = world.maxTurns ?? 40, tasks = 8 } = settings;
    const play = async (name: keyof typeof players, task: string, limit: number, player: string = name) => {
      const choose = (_: Environment, turn: number) => {
        const stream = random.stream(name, task, turn);
        return act(environment, players[name](turn, stream.uniform()) ? 'oracle' : 'random', stream);
      };
      const episode = await playEpisode(environment, task, random, choose, limit);
      if (episode.thrown !== undefined) throw new Error(`${player} on ${task}: ${placeOfThrown(episode)}`);
      const turns = episode.turns.map(({ action, result }): ScoredTurn => ({ ...result, action }));
      const last = turns.at(-1);
      if (last !== undefined && !last.terminated && !last.truncated)
        turns.splice(-1, 1, { ...last, ...(await conclude(environment, 'horizon')), truncated: true });
      const success = turns.at(-1)?.facts.success === true;
      const references = (await world.about?.(task))?.references;
      return { player, task, turns, success, total: score(scheme, turns, references) };
    };
    const played: Played[] = [];
    const names = Object.keys(players) as (keyof typeof players)[];
    for (let place = 0; place < tasks; place += 1) {
      const task = await sourceOf(world, 'train').random(random.stream('tasks', place));
      const wise = world.experts?.includes('oracle') === true;
      for (const name of wise ? names : (['random'] as const)) played.push(await play(name, task, horizon));
      const { success, turns } = played.at(-1)!;
      if (wise && success && turns.length > 1)
        played.push(await play('oracle', task, turns.length - 1, 'the oracle, stopped early'));
    }
    return { scheme, horizon, played, outcome: Number(settings.term === true) };
  },
});
