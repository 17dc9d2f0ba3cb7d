// Checks the law "every success scores above every failure" on real episodes of an environment: a scheme that is
// correct on simulated facts may fail on the facts of a world.
import type { Draw, Environment, EnvironmentPhase, World } from '../contracts/environment.js';
import type { Random } from '../contracts/random.js';
import type { RewardScheme } from '../contracts/reward.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { createRandom } from '../random/create-random.js';
import { environmentPhases } from '../rollout/call-clock.js';
import { collectEpisodes, type CollectOptions } from '../rollout/collect-episodes.js';
import { composeReward } from '../rollout/compose-reward.js';
import { EnvironmentPool } from '../rollout/environment-pool.js';
import { openLocalWorld } from '../rollout/local-world.js';
import { chooseTasks } from '../rollout/task-order.js';
import type { RewardSubject } from './check-reward.js';
import { declareKit, findingsOf, runKit, type KitCheck, type KitSettings } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import type { EnvironmentSubject } from './environment-checks/environment-subject.js';
import type { Finding } from './finding.js';
import { testEnvironmentHost, testHost } from './test-host.js';

export interface RewardOnSettings extends KitSettings {
  /** Number of training tasks that each player plays. */
  readonly tasks?: number;
  /** Number of turns after which an episode is cut; absent: the world's `maxTurns`, or 40. */
  readonly horizon?: number;
  /** The scheme is used next to an outcome reward: the law must hold after adding 1 for a success. */
  readonly term?: boolean;
}

/** An episode and its player. */
interface Played extends CompletedEpisode {
  readonly player: string;
}

interface Context {
  readonly scheme: RewardScheme;
  readonly horizon: number;
  readonly played: readonly Played[];
  /** Reward of a success in addition to the scheme. */
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
    title: 'the episodes include successes and failures',
    severity: 'error',
    likelyCause: 'an environment without an oracle, or one that nobody can lose',
    why: 'The law would hold trivially and test nothing.',
    cure: 'Use an environment with an oracle that can be won and lost.',
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
    likelyCause: 'intermediate rewards are not scaled by their number, or a success is not paid for skipped milestones',
    why: 'If a failure can score above a success, the agent learns to fail.',
    cure: 'Scale intermediate rewards by their number, and pay a success for skipped milestones.',
    run: ({ played, outcome }) => {
      const worst = played.filter(({ success }) => success).sort((a, b) => a.return - b.return)[0];
      const best = played.filter(({ success }) => !success).sort((a, b) => b.return - a.return)[0];
      if (worst === undefined || best === undefined || worst.return + outcome > best.return) return [];
      return [`a success scores ${describe(worst, worst.return + outcome)}, a failure ${describe(best, best.return)}`];
    },
  },
  {
    id: 'bounds',
    title: 'every episode stays within the bounds',
    severity: 'error',
    likelyCause: 'bounds() assumes facts that the environment does not guarantee',
    why: 'agentgym checks recipes against the bounds before a run.',
    cure: 'Widen bounds() to the facts that the environment reports, or fix its facts.',
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
 * Plays an environment with a reward scheme and checks that every success scores above every failure, undiscounted. The
 * players are the oracle, the random player, mixtures of both, the oracle after a random start (late successes), and
 * the oracle stopped one turn early (failures close to success).
 */
export async function checkRewardOn<EnvironmentOptions, RewardOptions>(
  environment: EnvironmentSubject<EnvironmentOptions>,
  reward: RewardSubject<RewardOptions>,
  settings: RewardOnSettings = {},
): Promise<Finding[]> {
  const checks = await runKit(rewardOnChecks, settings, async () => {
    const scheme = reward.create(reward.options, testHost(settings.seed));
    const { horizon, played } = await playAll(environment, scheme, settings);
    return { scheme, horizon, played, outcome: settings.term === true ? 1 : 0 };
  });
  return findingsOf({ checks });
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeRewardOn<EnvironmentOptions, RewardOptions>(
  it: DeclareTest,
  environment: EnvironmentSubject<EnvironmentOptions>,
  reward: RewardSubject<RewardOptions>,
  settings: RewardOnSettings = {},
): void {
  declareKit(it, rewardOnChecks, settings, () => checkRewardOn(environment, reward, settings));
}

/** Deadline of a call in milliseconds. */
const patience = 60_000;
const milliseconds = Object.fromEntries(environmentPhases.map((phase) => [phase, patience])) as {
  readonly [phase in EnvironmentPhase]: number;
};

async function playAll<Options>(
  subject: EnvironmentSubject<Options>,
  scheme: RewardScheme,
  settings: RewardOnSettings,
): Promise<{ readonly horizon: number; readonly played: readonly Played[] }> {
  const random = createRandom(settings.seed ?? 0);
  const { signal } = new AbortController();
  const open = async (): Promise<World> => withMixtures(await subject.open(subject.options, testEnvironmentHost()));
  const world = await openLocalWorld(open, {
    title: subject.contribution.name,
    milliseconds,
    observationCharacters: Infinity,
    signal,
  });
  const pool = new EnvironmentPool(world, Infinity);
  const { horizon = world.maxTurns ?? 40 } = settings;
  const play = async (player: string, some: readonly string[], changes: Partial<CollectOptions> = {}) => {
    const keys = some.map((task, group) => ({ iteration: 0, task, group, member: 0 }));
    const episodes = await collectEpisodes(keys, {
      environments: pool,
      reward: composeReward([{ name: 'scheme', weight: 1, scheme }]),
      horizon,
      random: random.stream('episodes'),
      rollout: { inFlight: 16, retries: 0, maxFailedShare: 0, playerMilliseconds: patience },
      signal,
      actor: { kind: 'environment', player },
      ...changes,
    });
    return episodes.map((episode): Played => {
      if (episode.status === 'completed') return { ...episode, player };
      throw new Error(`${player} failed on ${episode.task} in ${episode.failure.phase}: ${episode.failure.message}`);
    });
  };
  try {
    const tasks = await chooseTasks(world.splits.train, settings.tasks ?? 8, random.stream('tasks'));
    if (!world.experts.includes('oracle')) return { horizon, played: await play('random', tasks) };
    const best = await play('oracle', tasks);
    const played = [...best];
    for (const player of ['random', ...mixtures.keys()]) played.push(...(await play(player, tasks)));
    for (const { task, turns, success } of best) {
      if (!success || turns.length < 2) continue;
      const stopped = await play('oracle', [task], { horizon: turns.length - 1 });
      played.push(...stopped.map((episode) => ({ ...episode, player: 'the oracle, stopped early' })));
    }
    return { horizon, played };
  } finally {
    await pool.dispose();
  }
}

/** Players that mix the oracle and the random player: the function decides whether to ask the oracle in a turn. */
const mixtures: ReadonlyMap<string, (turn: number, random: Random) => boolean> = new Map([
  ['the oracle in about every second turn', (_turn, random) => random.uniform() < 0.5],
  ['the oracle in most turns', (_turn, random) => random.uniform() < 0.85],
  ['the oracle, after three random turns', (turn) => turn >= 3],
]);

/** The world with these additional players. */
function withMixtures(world: World): World {
  const { instructions, splits, experts = [], maxTurns } = world;
  return {
    instructions,
    splits,
    experts: [...experts, ...mixtures.keys()],
    ...(maxTurns !== undefined && { maxTurns }),
    create: async (call) => new MixingEnvironment(await world.create(call)),
    close: () => world.close?.(),
  };
}

/** An instance that also knows the mixtures. It grades cut episodes like the inner environment. */
class MixingEnvironment implements Environment {
  readonly conclude?: NonNullable<Environment['conclude']>;
  #turn = 0;

  constructor(readonly inner: Environment) {
    if (inner.conclude !== undefined) this.conclude = inner.conclude.bind(inner);
  }

  reset(...given: Parameters<Environment['reset']>): ReturnType<Environment['reset']> {
    this.#turn = 0;
    return this.inner.reset(...given);
  }

  step(...given: Parameters<Environment['step']>): ReturnType<Environment['step']> {
    this.#turn += 1;
    return this.inner.step(...given);
  }

  act(player: string, call: Draw): ReturnType<Environment['act']> {
    const isWise = mixtures.get(player);
    if (isWise === undefined) return this.inner.act(player, call);
    return this.inner.act(isWise(this.#turn, call.random.stream('wise')) ? 'oracle' : 'random', call);
  }

  dispose(): ReturnType<NonNullable<Environment['dispose']>> {
    return this.inner.dispose?.();
  }
}
