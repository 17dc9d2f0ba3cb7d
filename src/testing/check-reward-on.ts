// The law "every success scores above every failure", on episodes that an environment really plays: a scheme that is right on simulated facts may still
// stumble over those of a world.
import type { Player } from '../contracts/player.js';
import type { Random } from '../contracts/random.js';
import type { RewardScheme } from '../contracts/reward.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { createRandom } from '../random/create-random.js';
import { collectEpisodes, type CollectOptions } from '../rollout/collect-episodes.js';
import { composeReward } from '../rollout/compose-reward.js';
import { createEnvironmentPool } from '../rollout/environment-pool.js';
import { randomPlayer } from '../rollout/players.js';
import { chooseTasks } from '../rollout/task-order.js';
import type { RewardSubject } from './check-reward.js';
import { declareKit, findingsOf, runKit, type KitCheck, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import type { EnvironmentSubject } from './environment-checks/environment-subject.js';
import type { Finding } from './finding.js';
import { testHost } from './test-host.js';

export interface RewardOnSettings extends KitSettings {
  /** Training tasks that each player plays. */
  readonly tasks?: number;
  /** Turns after which an episode is cut; absent: the contribution's `maxTurns`, or 40. */
  readonly horizon?: number;
  /** The scheme is a term that belongs beside an outcome: the law must hold with 1 for a success added. */
  readonly term?: boolean;
}

/** An episode, and who played it. */
interface Played extends CompletedEpisode {
  readonly player: string;
}

interface Context {
  readonly scheme: RewardScheme;
  readonly horizon: number;
  readonly played: readonly Played[];
  /** What a success earns beside the scheme. */
  readonly outcome: number;
}

/** Sums of decimal fractions are not exact. */
const rounding = 1e-9;

const describe = ({ player, task, turns }: Played, total: number): string => {
  const milestones = turns.findLast(({ facts }) => facts.milestones !== undefined)?.facts.milestones;
  const reached = milestones === undefined ? '' : `, ${milestones.reached} of ${milestones.total} milestones`;
  return `${total} (${player} on ${task}: ${turns.length} turns${reached})`;
};

export const rewardOnChecks: readonly KitCheck<Context>[] = [
  {
    id: 'both-outcomes',
    title: 'successes and failures are among the episodes',
    severity: 'error',
    likelyCause: 'an environment without an oracle, or one that nobody can lose: the law would hold of nothing',
    run: ({ played }) => {
      const successes = played.filter(({ success }) => success).length;
      if (successes > 0 && successes < played.length) return [];
      return [`${successes} of ${played.length} episodes are successes`];
    },
  },
  {
    id: 'law',
    title: 'the worst success scores above the best failure',
    severity: 'error',
    likelyCause:
      'what is earned on the way is not scaled by how much of it there is, or a success is not paid for what it passed by',
    run: ({ played, outcome }) => {
      const worst = played.filter(({ success }) => success).sort((a, b) => a.return - b.return)[0];
      const best = played.filter(({ success }) => !success).sort((a, b) => b.return - a.return)[0];
      if (worst === undefined || best === undefined || worst.return + outcome > best.return) return [];
      return [`a success scores ${describe(worst, worst.return + outcome)}, a failure ${describe(best, best.return)}`];
    },
  },
  {
    id: 'bounds',
    title: 'every episode keeps the bounds',
    severity: 'error',
    likelyCause: 'bounds() thinks of facts that the environment does not keep to',
    run: ({ played, scheme, horizon }) => {
      for (const episode of played) {
        const milestones = episode.turns.findLast(({ facts }) => facts.milestones !== undefined)?.facts.milestones;
        const bounds = scheme.bounds({ horizon, ...(milestones && { milestones: milestones.total }) });
        const [low, high] = episode.success ? bounds.success : bounds.failure;
        if (episode.return >= low - rounding && episode.return <= high + rounding) continue;
        const kind = episode.success ? 'success' : 'failure';
        return [`a ${kind} scores ${describe(episode, episode.return)}, outside [${low}, ${high}]`];
      }
      return [];
    },
  },
];

/**
 * Plays an environment under a reward scheme and checks that every success scores above every failure, undiscounted. Players are the oracle, the random
 * player, a mixture of both, the oracle after a random beginning (late successes), and the oracle stopped one turn short (failures that came as far as can be).
 */
export async function checkRewardOn<EnvironmentOptions, RewardOptions>(
  environment: EnvironmentSubject<EnvironmentOptions>,
  reward: RewardSubject<RewardOptions>,
  settings: RewardOnSettings = {},
): Promise<Finding[]> {
  const checks = await runKit('reward on an environment', rewardOnChecks, settings, async () => {
    const { horizon = environment.contribution.maxTurns ?? 40 } = settings;
    const scheme = reward.create(reward.options, testHost(settings.seed));
    const played = await playAll(environment, scheme, horizon, settings);
    return { scheme, horizon, played, outcome: settings.term === true ? 1 : 0 };
  });
  return findingsOf({ checks });
}

/** The kit as tests, one for each check; takes the runner's `it`. */
export function describeRewardOn<EnvironmentOptions, RewardOptions>(
  it: DeclareTest,
  environment: EnvironmentSubject<EnvironmentOptions>,
  reward: RewardSubject<RewardOptions>,
  settings: RewardOnSettings = {},
): void {
  declareKit(it, rewardOnChecks, settings, () => checkRewardOn(environment, reward, settings));
}

async function playAll<Options>(
  subject: EnvironmentSubject<Options>,
  scheme: RewardScheme,
  horizon: number,
  settings: RewardOnSettings,
): Promise<Played[]> {
  const random = createRandom(settings.seed ?? 0);
  const pool = createEnvironmentPool(() => subject.create(subject.options, testHost(settings.seed)));
  const tasks = chooseTasks(subject.tasks(subject.options).train, settings.tasks ?? 8, random.stream('tasks'));
  const collect: Omit<CollectOptions, 'actor'> = {
    environments: pool,
    reward: composeReward([{ name: 'scheme', weight: 1, scheme }]),
    horizon,
    random: random.stream('episodes'),
    rollout: {
      inFlight: 16,
      retries: 0,
      maxFailedShare: 0,
      environmentMilliseconds: 60_000,
      playerMilliseconds: 60_000,
    },
    signal: new AbortController().signal,
  };
  const play = async (player: Player, some: readonly string[], changes: Partial<CollectOptions> = {}) => {
    const keys = some.map((task, group) => ({ iteration: 0, task, group, member: 0 }));
    const episodes = await collectEpisodes(keys, { ...collect, ...changes, actor: { kind: 'player', player } });
    return episodes.map((episode): Played => {
      if (episode.status === 'completed') return { ...episode, player: player.name };
      throw new Error(
        `${player.name} failed on ${episode.task} in ${episode.failure.phase}: ${episode.failure.message}`,
      );
    });
  };
  try {
    const instance = await pool.acquire();
    const hasOracle = instance.experts?.['oracle'] !== undefined;
    pool.release(instance);
    if (!hasOracle) return await play(randomPlayer, tasks);
    const best = await play(
      oracleAmong('oracle', () => true),
      tasks,
    );
    const played = [...best];
    for (const player of players) played.push(...(await play(player, tasks)));
    for (const { task, turns, success } of best) {
      if (!success || turns.length < 2) continue;
      played.push(
        ...(await play(
          oracleAmong('the oracle, stopped', () => true),
          [task],
          { horizon: turns.length - 1 },
        )),
      );
    }
    return played;
  } finally {
    await pool.dispose();
  }
}

/** Plays the oracle where `wise` says so, and at random elsewhere. */
function oracleAmong(name: string, wise: (turn: number, random: Random) => boolean): Player {
  return {
    name,
    act: ({ environment, random, texts }) => {
      const oracle = wise(texts.length, random.stream('wise')) ? environment.experts?.['oracle'] : undefined;
      return oracle === undefined ? environment.sampleAction(random) : oracle(random);
    },
  };
}

const players: readonly Player[] = [
  randomPlayer,
  oracleAmong('the oracle in every other turn or so', (_turn, random) => random.uniform() < 0.5),
  oracleAmong('the oracle in most turns', (_turn, random) => random.uniform() < 0.85),
  oracleAmong('the oracle, after three random turns', (turn) => turn >= 3),
];
