// Worlds in separate threads: an environment may do anything to its thread, and the other episodes stay the same, byte
// for byte.
import { describe, expect, it } from 'vitest';

import type { World } from '../../src/contracts/environment.js';
import type { EpisodeKey, Episode } from '../../src/contracts/trajectory.js';
import { createRandom } from '../../src/random/create-random.js';
import { environmentPhases } from '../../src/rollout/call-clock.js';
import { collectEpisodes } from '../../src/rollout/collect-episodes.js';
import { composeReward } from '../../src/rollout/compose-reward.js';
import { EnvironmentPool } from '../../src/rollout/environment-pool.js';
import type { HeldArtifact } from '../../src/rollout/episode-artifacts.js';
import { openLocalWorld, type WorldSettings } from '../../src/rollout/local-world.js';
import { openThreadWorld } from '../../src/rollout/remote/thread-world.js';
import { SharedLimits, type TakeLimit, takeFrom } from '../../src/rollout/shared-limits.js';
import type { WorldHandle } from '../../src/rollout/world-handle.js';
// @ts-expect-error: a world in plain JavaScript
import { open } from './hostile-world.js';

const never = new AbortController().signal;
const limitsOf = (milliseconds: number) => ({
  milliseconds: Object.fromEntries(
    environmentPhases.map((phase) => [phase, milliseconds]),
  ) as WorldSettings['milliseconds'],
  observationCharacters: 1000,
  title: 'environment `hostile`',
});
const limits = limitsOf(400);

interface Options {
  readonly delay?: number;
  readonly external?: boolean;
}

const inThreads = (
  workers: number,
  options: Options = {},
  { signal = never, limits = limitsOf(400), heapMegabytes = 2048, take = takeFrom(new SharedLimits()) } = {},
): Promise<WorldHandle> =>
  openThreadWorld({
    program: new URL('./hostile-thread.js', import.meta.url),
    data: { options, limits },
    ...limits,
    workers,
    signal,
    heapMegabytes,
    log: { info: () => undefined, warn: () => undefined },
    take,
  });

const here = (options: Options = {}): Promise<WorldHandle> =>
  openLocalWorld(() => (open as (options: Options) => World)(options), { ...limits, signal: never });

/** Episodes of these tasks by the random player. */
async function play(
  opening: Promise<WorldHandle>,
  tasks: readonly string[],
  retries = 0,
  signal = never,
  states = false,
): Promise<Episode[]> {
  const pool = new EnvironmentPool(await opening, Infinity);
  const keys = tasks.map((task, group): EpisodeKey => ({ iteration: 1, task, group, member: 0 }));
  try {
    return await collectEpisodes(keys, {
      actor: { kind: 'environment', player: 'random' },
      environments: pool,
      reward: composeReward([]),
      horizon: 6,
      random: createRandom(3),
      rollout: { inFlight: 64, retries, maxFailedShare: 1, playerMilliseconds: 1000 },
      states,
      artifacts: Infinity,
      signal,
    });
  } finally {
    await pool.dispose();
  }
}

const calm = Array.from({ length: 64 }, (_, index) => `calm/${index}`);
const withOne = (hostile: string) => calm.map((task, index) => (index === 20 ? hostile : task));

describe('a world in threads', () => {
  it.each([1, 2])('plays what it plays in this thread, in %d threads', async (workers) => {
    const expected = await play(here(), calm);
    expect(expected.every(({ status }) => status === 'completed')).toBe(true);
    expect(await play(inThreads(workers), calm)).toEqual(expected);
    expect(await play(inThreads(workers, { delay: 3 }), calm)).toEqual(await play(here({ delay: 3 }), calm));
  });

  // Goes red when the wish for states does not reach the thread, or is lost when its episodes are replayed.
  it('tells the states before turns, also after its thread was replaced', async () => {
    const expected = await play(here(), calm, 0, never, true);
    const digests = expected.flatMap(({ turns }) => turns.map(({ startState }) => startState));
    expect(digests.every((digest) => /^[\w-]{16}$/.test(digest ?? ''))).toBe(true);
    expect(new Set(digests).size).toBe(40);
    expect(await play(inThreads(2), calm, 0, never, true)).toEqual(expected);
    const [, ...others] = rotate(await play(inThreads(1), withOne('exit@2/0'), 0, never, true), 20);
    expect(others).toEqual(rotate(expected, 20).slice(1));
    const instance = await (await inThreads(1)).create();
    expect(instance.tellsStates).toBe(true);
  });

  // Goes red when threads count for themselves, or a thread that ends keeps its turns.
  it('share limits, and give back what a thread had when it ended', async () => {
    const shared = new SharedLimits();
    let [held, most] = [0, 0];
    const counted: TakeLimit = async (...limit) => {
      const end = await shared.take(...limit);
      most = Math.max(most, (held += 1));
      return () => {
        held -= 1;
        end();
      };
    };
    const world = await openThreadWorld({
      program: new URL('./turns-thread.js', import.meta.url),
      data: { limits },
      ...limits,
      workers: 3,
      signal: never,
      take: counted,
      log: { info: () => undefined, warn: () => undefined },
    });
    const tasks = Array.from({ length: 30 }, (_, index) => (index % 10 === 4 ? 'exit' : `${index}`));
    const found = await play(Promise.resolve(world), tasks);
    expect(found.filter(({ status }) => status === 'failed')).toHaveLength(3);
    expect([held, most]).toEqual([0, 2]);
  });

  it('describes itself, and knows its tasks', async () => {
    const world = await inThreads(1);
    try {
      expect(world).toMatchObject({ instructions: 'Guess a digit.', experts: ['oracle'], external: false });
      expect(await world.splits.test.ids([3, 1])).toEqual(['calm/3', 'calm/1']);
      const streams = () => [createRandom(1).stream('a'), createRandom(1).stream('b')];
      expect(await world.splits.train.draw(streams())).toEqual(await (await here()).splits.train.draw(streams()));
      expect(await world.about(['calm/1'])).toEqual([{}]);
      expect(await world.splitOf?.(['calm/1', 'nowhere'])).toEqual(['test', undefined]);
    } finally {
      await world.close();
    }
  });

  it.each([
    ['loop', 'deadline', 'step took longer than 0.4 s'],
    ['late-loop', 'deadline', 'step took longer than 0.4 s'],
    ['timer-loop', 'deadline', 'step took longer than 0.4 s'],
    ['hang', 'deadline', 'step took longer than 0.4 s'],
    ['exit', 'step', 'it ended its thread: process.exit(3)'],
    ['throw', 'step', 'it ended its thread: an error that nobody caught: nobody catches this'],
    ['cyclic', 'step', expect.stringContaining('details')],
    ['nan', 'step', expect.stringContaining('reward')],
  ])('fails the episode that does %s to its thread, and no other', async (how, phase, message) => {
    const expected = await play(here(), calm);
    const [hostile, ...others] = rotate(await play(inThreads(1), withOne(`${how}@2/0`)), 20);
    expect(hostile).toMatchObject({ status: 'failed', failure: { phase, message } });
    expect(hostile!.turns).toHaveLength(1);
    const [, ...untouched] = rotate(expected, 20);
    expect(others).toEqual(untouched);
  });

  // Goes red without the grace after an abort: the call would hold its thread for a minute.
  it('lets an interruption through while a call holds a thread', async () => {
    const interruption = new AbortController();
    const world = await inThreads(2, {}, { signal: interruption.signal, limits: limitsOf(60_000) });
    const playing = play(Promise.resolve(world), withOne('loop@2/0'), 0, interruption.signal);
    setTimeout(() => interruption.abort(new Error('interrupted')), 300);
    const start = performance.now();
    await expect(playing).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('fails the episode that takes all memory', async () => {
    const small = inThreads(1, {}, { limits: limitsOf(60_000), heapMegabytes: 128 });
    const [hostile, ...others] = rotate(await play(small, withOne('memory@2/0').slice(0, 24)), 20);
    const failure = { phase: 'step', message: 'it ended its thread: out of memory' };
    expect(hostile).toMatchObject({ status: 'failed', failure });
    expect(others.every(({ status }) => status === 'completed')).toBe(true);
  }, 60_000);

  it('cuts a text of 10 MB there', async () => {
    const [hostile] = await play(inThreads(1), ['text@2/0']);
    expect(hostile).toMatchObject({ status: 'completed' });
    expect(hostile!.turns[2]!.observation.length).toBeLessThan(1100);
    expect(hostile!.turns[2]!.observationCharacters).toBe(10_000_000);
  });

  // Goes red if artifacts count when an episode is replayed.
  it('brings artifacts, which may differ where an episode is replayed in another thread', async () => {
    const [found, hostile] = await play(inThreads(1), ['artist@9/0', 'exit@3/1']);
    expect(hostile).toMatchObject({ status: 'failed' });
    const artifacts = found!.artifacts as readonly HeldArtifact[];
    expect(artifacts.map(({ turn, bytes, content }) => [turn, bytes, content![0]])).toEqual([
      [0, 9, 1],
      [1, 9, 2],
      [2, 9, 3],
      [3, 9, 4],
    ]);
  });

  it('plays a broken episode again as often as it is allowed to, and its neighbours count nothing', async () => {
    const episodes = await play(inThreads(2), withOne('exit@3/0'), 2);
    expect(episodes[20]).toMatchObject({ status: 'failed', retries: 2 });
    expect(episodes.filter(({ retries }) => retries > 0)).toHaveLength(1);
  });

  it('begins episodes of external worlds again, and counts no retry', async () => {
    const episodes = await play(inThreads(1, { external: true }), withOne('loop@2/0'));
    expect(episodes.filter(({ status }) => status === 'completed')).toHaveLength(63);
    expect(episodes.every(({ retries }) => retries === 0)).toBe(true);
  });
});

function rotate<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
