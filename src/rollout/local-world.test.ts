// The guarantees of worlds and their instances with any plugin.
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Environment, World } from '../contracts/environment.js';
import type { Facts } from '../contracts/facts.js';
import type { PolicyModel, SamplerPromises } from '../contracts/policy.js';
import { createRandom } from '../random/create-random.js';
import { collectEpisodes, type CollectionTimes, type CollectOptions } from './collect-episodes.js';
import { EnvironmentPool } from './environment-pool.js';
import { EpisodeLost } from './episode-lost.js';
import { collectOptions, environmentPool, keys, rolloutSettings, worldSettings } from './fixtures/collect.js';
import { Signals, signalWorld } from './fixtures/signals.js';
import { localWorld, openLocalWorld } from './local-world.js';
import type { InstanceHandle } from './world-handle.js';

const random = createRandom(1);
const actor = { kind: 'environment', player: 'random' } as const;
const never = (): Promise<never> => new Promise(() => undefined);

const unavailable = (message: string): Error => Object.assign(new Error(message), { code: 'UNAVAILABLE' });

/** Blocks this thread. */
function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe('opening a world', () => {
  // Mutation: leave out `late` in `openLocalWorld`.
  it('gives up one that hangs, and closes it when it comes after all', async () => {
    let closed = 0;
    let come = (): void => undefined;
    const late = (): Promise<World> =>
      new Promise((resolve) => (come = () => resolve({ ...signalWorld(), close: () => void (closed += 1) })));
    await expect(openLocalWorld(late, worldSettings({}, 30))).rejects.toThrow('open took longer than 0.03 s');
    expect(closed).toBe(0);
    come();
    await expect.poll(() => closed).toBe(1);
  });

  it('names what is missing, and a world that is down', async () => {
    const without = { ...signalWorld(), create: undefined } as unknown as World;
    await expect(openLocalWorld(() => without, worldSettings())).rejects.toThrow(
      'the result of open().create is absent, not a function',
    );
    await expect(
      openLocalWorld(() => Promise.reject(unavailable('no server at 4711')), worldSettings()),
    ).rejects.toMatchObject({
      code: 'AG_WORLD_UNAVAILABLE',
      message: 'environment `signals` is not available: no server at 4711',
    });
  });
});

describe('the splits of a world', () => {
  it('may be absent, and need no random() where they are bounded', async () => {
    const source = (count: number | 'unbounded') => ({ count, id: (place: number) => `at ${place}` });
    const splits = { train: source(5), validation: source('unbounded') };
    const world = localWorld({ ...signalWorld(), splits }, worldSettings());
    const streams = () => Array.from({ length: 40 }, (_, draw) => random.stream('draws', draw));
    const drawn = await world.splits.train.draw(streams());
    expect(new Set(drawn)).toEqual(new Set(['at 0', 'at 1', 'at 2', 'at 3', 'at 4']));
    expect(await world.splits.train.draw(streams())).toEqual(drawn);
    await expect(world.splits.validation.draw(streams())).rejects.toThrow(
      'the split validation is unbounded, so it needs random()',
    );
    expect(world.splits.test.count).toBe(0);
    expect(await world.splits.test.ids([])).toEqual([]);
  });

  it('must have ids', async () => {
    const splits = { train: { count: 3 } } as unknown as World['splits'];
    await expect(openLocalWorld(() => ({ ...signalWorld(), splits }), worldSettings())).rejects.toThrow(
      'the split train.id is absent, not a function',
    );
  });
});

describe('many tasks', () => {
  // Goes red when all are asked for in one piece: a long list would then look like a world that hangs.
  it('are asked for in parts, and the thread is free in between', async () => {
    let parts = 1;
    let pending: NodeJS.Immediate | undefined;
    const answer = <T>(value: T): T => {
      pending ??= setImmediate(() => {
        pending = undefined;
        parts += 1;
      });
      return value;
    };
    const about = (task: string) => answer({ cluster: task });
    const base = signalWorld(undefined, { about, count: 500 });
    const train = { ...base.splits.train!, id: (place: number) => answer(`train-${place}`) };
    const world = localWorld({ ...base, splits: { ...base.splits, train } }, worldSettings());
    const ids = await world.splits.train.ids(Array.from({ length: 500 }, (_, place) => place));
    expect([ids.length, ids[499], parts]).toEqual([500, 'train-499', 3]);
    expect((await world.about(ids))[499]).toEqual({ cluster: 'train-499' });
    expect(parts).toBeGreaterThanOrEqual(5);
  });

  // Goes red when a list of a million tasks must be answered before Ctrl-C ends the command.
  it('are asked for until the command is interrupted', async () => {
    const abort = new AbortController();
    let asked = 0;
    const about = (task: string) => {
      asked += 1;
      if (asked === 300) abort.abort();
      return { cluster: task };
    };
    const world = localWorld(signalWorld(undefined, { about, count: 2000 }), {
      ...worldSettings(),
      signal: abort.signal,
    });
    const ids = Array.from({ length: 2000 }, (_, place) => `train-${place}`);
    await expect(world.about(ids)).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
    expect(asked).toBe(400);
  });
});

describe('the legal actions', () => {
  it('are those that the environment lists, and texts', async () => {
    const listing = (admissible?: () => readonly unknown[]) => {
      const create = () => Object.assign(new Signals(), admissible && { admissible }) as unknown as Environment;
      return localWorld({ ...signalWorld(), create }, worldSettings()).create();
    };
    expect(await (await listing()).admissible()).toBeUndefined();
    expect(await (await listing(() => ['stop', 'go'])).admissible()).toEqual(['stop', 'go']);
    await expect((await listing(() => ['stop', 7])).admissible()).rejects.toThrow(
      'item 1 of the result of admissible() is a number, not a string',
    );
  });
});

describe('the state of an instance', () => {
  /** An instance whose key is the number of right answers. */
  const telling = (stateKey?: (world: Signals) => unknown, cap?: number): Promise<InstanceHandle> => {
    const create = (): Environment => {
      const world = new Signals(cap);
      return Object.assign(world, stateKey && { stateKey: () => stateKey(world) }) as unknown as Environment;
    };
    return localWorld({ ...signalWorld(), create }, worldSettings()).create();
  };
  const right = ({ right }: Signals): string => String(right);
  const statesOf = async (instance: InstanceHandle, actions: readonly string[]): Promise<(string | undefined)[]> => {
    const states = [(await instance.reset('train-0', random, { states: true })).state];
    for (const action of actions) states.push((await instance.step(action)).state);
    return states;
  };

  // Mutation: ask for the key at the end of an episode too, or leave out the check of the key.
  it('is told as a digest, before and after each action that does not end the episode', async () => {
    const asked: number[] = [];
    const keyed = (world: Signals): string => {
      asked.push(world.turns);
      return right(world);
    };
    const [start, wrong, one, end] = await statesOf(await telling(keyed), ['what', 'stop', 'quit']);
    expect(start).toMatch(/^[\w-]{16}$/);
    expect(wrong).toBe(start);
    expect(one).not.toBe(start);
    expect(end).toBeUndefined();
    expect(asked).toEqual([0, 1, 2]);
    expect(await statesOf(await telling((world) => Promise.resolve(right(world))), ['what', 'stop'])).toEqual([
      start,
      start,
      one,
    ]);
    expect(await statesOf(await telling(right, 1), ['what'])).toEqual([start, undefined]);
  });

  it('is not asked for unless the episode wants it', async () => {
    let asked = 0;
    const instance = await telling(() => `${(asked += 1)}`);
    expect(instance.tellsStates).toBe(true);
    await instance.reset('train-0', random, { states: true });
    expect(await instance.reset('train-0', random)).toEqual({ observation: 'signal red' });
    expect(await instance.step('stop')).not.toHaveProperty('state');
    expect(asked).toBe(1);
  });

  it('must be a text', async () => {
    const without = await telling();
    expect(without.tellsStates).toBe(false);
    // A world that answers at once throws at once.
    expect(() => without.reset('train-0', random, { states: true })).toThrow('the result of stateKey() is absent');
    const wrong = await telling(() => 7);
    expect(() => wrong.reset('train-0', random, { states: true })).toThrow('is a number, not a string');
  });
});

describe('a deadline', () => {
  class Slow extends Signals {
    constructor(private readonly milliseconds: number) {
      super();
    }
    override async step(action: string) {
      await sleep(this.milliseconds);
      return super.step(action);
    }
  }

  const stepping = async (milliseconds: number): Promise<InstanceHandle> => {
    const instance = await localWorld(
      signalWorld(() => new Slow(milliseconds)),
      worldSettings({}, 100),
    ).create();
    await instance.reset('train-0', random);
    return instance;
  };

  // Mutation: in `tick` of responsive-time.ts, measure the wall clock.
  it('counts no time in which this thread was busy', async () => {
    const instance = await stepping(20);
    const step = instance.step('stop');
    busy(250);
    await expect(step).resolves.toMatchObject({ facts: { invalid: false } });
  });

  it('is kept by a call that is really late, beside a thread that is busy now and then', async () => {
    const instance = await stepping(100_000);
    const step = instance.step('stop');
    for (let count = 0; count < 3; count += 1) {
      busy(60);
      await sleep(10);
    }
    await expect(step).rejects.toThrow('step took longer than 0.1 s');
  });

  it('aborts the signal of its call', async () => {
    let seen: AbortSignal | undefined;
    class Listening extends Signals {
      override step(_: string, call?: { readonly signal: AbortSignal }) {
        seen = call?.signal;
        return never();
      }
    }
    const instance = await localWorld(
      signalWorld(() => new Listening()),
      worldSettings({}, 30),
    ).create();
    await instance.reset('train-0', random);
    await expect(instance.step('stop')).rejects.toThrow('step took longer');
    expect(seen?.aborted).toBe(true);
  });

  it('measures what calls took, and not what this thread did meanwhile', async () => {
    const world = localWorld(
      signalWorld(() => new Slow(30)),
      worldSettings({}, 1000),
    );
    const instance = await world.create();
    await instance.reset('train-0', random);
    const step = instance.step('stop');
    busy(200);
    await step;
    const { create, step: stepped } = world.times();
    expect(create.calls).toBe(1);
    expect(stepped.calls).toBe(1);
    expect(stepped.milliseconds).toBeLessThan(100);
  });
});

describe('a pool', () => {
  it('makes no more instances than it may, and lets the others wait', async () => {
    let [alive, most] = [0, 0];
    class Counted extends Signals {
      constructor() {
        super();
        most = Math.max(most, (alive += 1));
      }
      override dispose(): void {
        alive -= 1;
      }
    }
    const pool = environmentPool(() => new Counted(), { limit: 3 });
    const episodes = await collectEpisodes(keys(4, 5), collectOptions({ actor, environments: pool }));
    expect(most).toBe(3);
    expect(episodes).toEqual(await collectEpisodes(keys(4, 5), collectOptions({ actor })));

    const held = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    let arrived = false;
    const fourth = pool.acquire().then((instance) => {
      arrived = true;
      return instance;
    });
    await sleep(5);
    expect(arrived).toBe(false);
    await pool.discard(held[0]);
    await fourth;
    expect(alive).toBe(3);
    await pool.dispose();
    expect(alive).toBe(0);
  });

  it('disposes of an instance that is made too late', async () => {
    const made = new Signals();
    let come = (): void => undefined;
    const create = (): Promise<Signals> => new Promise((resolve) => (come = () => resolve(made)));
    const pool = environmentPool(create, { settings: worldSettings({}, 20) });
    await expect(pool.acquire()).rejects.toThrow('create took longer than 0.02 s');
    expect(made.disposed).toBe(0);
    come();
    await expect.poll(() => made.disposed).toBe(1);
  });

  it('shrinks to what the last collection had use for', async () => {
    const made: Signals[] = [];
    const pool = environmentPool(() => {
      made.push(new Signals());
      return made.at(-1)!;
    });
    const play = (inFlight: number) => {
      const options = collectOptions({ actor, environments: pool });
      return collectEpisodes(keys(4, 5), { ...options, rollout: { ...options.rollout, inFlight } });
    };
    await play(9);
    expect(made.filter(({ disposed }) => disposed === 0)).toHaveLength(9);
    await play(2);
    expect(made.filter(({ disposed }) => disposed === 0)).toHaveLength(2);
    expect(made).toHaveLength(9);
  });

  it('gives back what comes after the collection was interrupted', async () => {
    const controller = new AbortController();
    const made: Signals[] = [];
    class Late extends Signals {
      override async reset(...call: Parameters<Signals['reset']>) {
        await sleep(40);
        return super.reset(...call);
      }
    }
    const pool = environmentPool(() => {
      made.push(new Late());
      return made.at(-1)!;
    });
    const collecting = collectEpisodes(
      keys(1, 3),
      collectOptions({ actor, environments: pool, signal: controller.signal }),
    );
    setTimeout(() => controller.abort(), 10);
    await expect(collecting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
    await pool.dispose();
    await sleep(60);
    expect(made.map(({ disposed }) => disposed)).toEqual([1, 1, 1]);
  });
});

describe('an episode that the host cuts', () => {
  class Graded extends Signals {
    readonly causes: string[] = [];
    conclude(cause: 'horizon' | 'tokens'): { reward: number; facts: Facts } {
      this.causes.push(cause);
      return { reward: 7, facts: { success: true, invalid: false, progress: 1, milestones: { reached: 3, total: 3 } } };
    }
  }

  // Mutation: also conclude episodes that ended by themselves.
  it('is graded by what stands then', async () => {
    const made: Graded[] = [];
    const environments = environmentPool(() => {
      made.push(new Graded());
      return made.at(-1)!;
    });
    const episodes = await collectEpisodes(keys(6, 3), collectOptions({ actor, environments, horizon: 2 }));
    let cut = 0;
    for (const episode of episodes) {
      if (episode.status !== 'completed') throw new Error('an episode failed');
      const last = episode.turns.at(-1)!;
      if (episode.truncated === 'horizon') {
        cut += 1;
        expect(episode.success).toBe(true);
        expect(last).toMatchObject({ native: 7, facts: { success: true, progress: 1 } });
        expect(last.reward).toBeGreaterThan(0);
        for (const turn of episode.turns.slice(0, -1)) expect(turn.native).toBe(0);
      } else expect(last.native).not.toBe(7);
    }
    expect(cut).toBeGreaterThan(3);
    expect(made.flatMap(({ causes }) => causes)).toEqual(Array(cut).fill('horizon'));
  });

  it('fails where the grading does', async () => {
    class Ungradable extends Graded {
      override conclude(): never {
        throw new Error('the tests cannot be found');
      }
    }
    const options = collectOptions({ actor, environments: environmentPool(() => new Ungradable()), horizon: 1 });
    const episodes = await collectEpisodes(keys(4, 1), { ...options, rollout: { ...options.rollout, retries: 0 } });
    expect(episodes.find(({ status }) => status === 'failed')).toMatchObject({
      failure: { phase: 'conclude', message: 'the tests cannot be found' },
    });
  });
});

describe('what a task says', () => {
  it('can be rules of its own', async () => {
    const environment: Environment = Object.assign(new Signals(), {
      reset: () => ({ observation: 'signal red', instructions: 'Only stop counts.' }),
    });
    const systems: string[] = [];
    const player = {
      name: 'listener',
      act: ({ system }: { readonly system: string }) => {
        systems.push(system);
        return 'quit';
      },
    };
    const options = collectOptions({ actor: { kind: 'player', player } }, () => environment);
    expect(await collectEpisodes(keys(1, 1), options)).toMatchObject([{ instructions: 'Only stop counts.' }]);
    expect(systems).toEqual(['Only stop counts.']);
  });

  it('is refused where it changes', async () => {
    let asked = 0;
    const about = () => ({ cluster: String((asked += 1)) });
    const world = localWorld(signalWorld(undefined, { about }), worldSettings());
    await world.about(['train-1']);
    await expect(world.about(['train-1'])).rejects.toMatchObject({
      code: 'AG_PLUGIN_FAILED',
      message: expect.stringContaining('described the task "train-1" differently than before'),
    });
  });

  it('is cut where it is too long, and counted', async () => {
    class Wordy extends Signals {
      override step(action: string) {
        const result = super.step(action);
        return { ...(result as Awaited<typeof result>), observation: 'x'.repeat(5000) };
      }
    }
    const [episode] = await collectEpisodes(
      keys(1, 1),
      collectOptions({ actor, horizon: 2 }, () => new Wordy()),
    );
    if (episode?.status !== 'completed') throw new Error('the episode failed');
    const end = 'x'.repeat(500);
    expect(episode.finalObservation).toBe(`${end}\n[cut: 4000 of 5000 characters left out]\n${end}`);
    expect(episode.finalObservationCharacters).toBe(5000);
    expect(episode.turns[0]).not.toHaveProperty('observationCharacters');
  });
});

describe('a world that is down', () => {
  // Mutation: treat AG_WORLD_UNAVAILABLE as the failure of an episode.
  it('ends the collection at once, and burns no retries', async () => {
    let resets = 0;
    class Down extends Signals {
      override reset(): never {
        resets += 1;
        throw unavailable('connection refused');
      }
    }
    const options = collectOptions({ actor }, () => new Down());
    await expect(collectEpisodes(keys(4, 4), options)).rejects.toMatchObject({ code: 'AG_WORLD_UNAVAILABLE' });
    expect(resets).toBeLessThanOrEqual(options.rollout.inFlight);
  });

  // Goes red when `#error` is only read at the beginning of a round.
  it('ends the collection where nothing else is under way, too', async () => {
    class Dying extends Signals {
      override async step(): Promise<never> {
        await sleep(10);
        throw unavailable('the process has ended');
      }
    }
    const options = collectOptions({ actor }, () => new Dying());
    await expect(collectEpisodes(keys(1, 1), options)).rejects.toMatchObject({ code: 'AG_WORLD_UNAVAILABLE' });
  });

  it('is unlike an episode that was lost, which begins again and counts no retry', async () => {
    let lost = 0;
    class Forgetful extends Signals {
      override step(action: string) {
        if ((lost += 1) === 3) throw new EpisodeLost('its thread has gone');
        return super.step(action);
      }
    }
    const options = collectOptions({ actor }, () => new Forgetful());
    const episodes = await collectEpisodes(keys(2, 2), { ...options, rollout: { ...options.rollout, retries: 0 } });
    expect(episodes).toEqual(await collectEpisodes(keys(2, 2), collectOptions({ actor })));
  });
});

describe('free collection', () => {
  /** The model of the options, after its sampler's promises were changed. */
  function promising({ actor }: CollectOptions, changes: Partial<SamplerPromises>): PolicyModel {
    const { model } = actor as Extract<typeof actor, { kind: 'model' }>;
    const { capabilities } = model;
    const { sampler: exactSampler } = capabilities;
    const sampler = { ...exactSampler, ...changes };
    Object.defineProperty(model, 'capabilities', { value: { ...capabilities, sampler, exactSampler } });
    return model;
  }

  /** Answers after a delay that is drawn from the episode's own stream. */
  class Uneven extends Signals {
    #wait = 0;
    override async reset(...[task, call]: Parameters<Signals['reset']>) {
      this.#wait = call.random.stream('wait').uniform();
      await sleep(10 * this.#wait);
      return super.reset(task, call);
    }
    override async step(action: string) {
      await sleep(10 * this.#wait);
      return super.step(action);
    }
  }

  it('plays the episodes of waves, and lets nobody wait for another', async () => {
    const play = async (collection: 'waves' | 'free', create: () => Signals) => {
      const options = collectOptions({ environments: environmentPool(create) });
      const sizes: number[] = [];
      const { model } = options.actor as Extract<typeof options.actor, { kind: 'model' }>;
      const generate = model.generate.bind(model);
      model.generate = (requests, ...rest) => {
        sizes.push(requests.length);
        return generate(requests, ...rest);
      };
      const episodes = await collectEpisodes(keys(4, 4), { ...options, rollout: { ...options.rollout, collection } });
      return { episodes, sizes };
    };
    const waves = await play('waves', () => new Uneven());
    const free = await play('free', () => new Uneven());
    expect(free.episodes).toEqual(waves.episodes);
    expect((await play('free', () => new Signals())).episodes).toEqual(waves.episodes);
    expect(free.sizes.length).toBeGreaterThan(1.5 * waves.sizes.length);
  });

  // Mutation: answer all ready episodes in one call.
  it('answers one half while the other half plays, if the policy takes a call before it has answered another', async () => {
    const play = async (concurrent: boolean | undefined, collection?: 'waves') => {
      const options = collectOptions();
      const model = promising(options, concurrent === undefined ? {} : { concurrent });
      const running: number[] = [];
      const sizes: number[] = [];
      let calls = 0;
      const generate = model.generate.bind(model);
      model.generate = async (requests, ...rest) => {
        sizes.push(requests.length);
        running.push((calls += 1));
        await sleep(2);
        const answers = await generate(requests, ...rest);
        calls -= 1;
        return answers;
      };
      const rollout = { ...options.rollout, inFlight: 100, ...(collection && { collection }) };
      let waited = Infinity;
      const took = (times: CollectionTimes) => (waited = times.policyWaited / times.milliseconds);
      const episodes = await collectEpisodes(keys(25, 4), { ...options, rollout, took });
      return { episodes, sizes, most: Math.max(...running), waited };
    };
    const whole = await play(undefined);
    expect(whole).toMatchObject({ most: 1 });
    expect(whole.sizes[0]).toBe(100);
    const halves = await play(true);
    expect(halves).toMatchObject({ most: 2, episodes: whole.episodes });
    expect(halves.sizes.slice(0, 2)).toEqual([50, 50]);
    expect(halves.waited).toBeGreaterThan(0);
    expect(halves.waited).toBeLessThan(1);
    expect(await play(true, 'waves')).toMatchObject({ most: 1, episodes: whole.episodes });
  });

  // Goes red when episodes share calls, or wait for each other, although the sampler batches by itself.
  it('asks for each episode at once if the sampler batches what comes', async () => {
    const play = async (changes: Partial<SamplerPromises>, collection?: 'waves' | 'free', exact = false) => {
      const options = collectOptions({ environments: environmentPool(() => new Uneven()) });
      const model = promising(options, changes);
      const sizes: number[] = [];
      let [calls, most, besideFirst] = [0, 0, 0];
      const generate = model.generate.bind(model);
      model.generate = async (requests, ...rest) => {
        const isFirst = sizes.push(requests.length) === 1;
        most = Math.max(most, (calls += 1));
        await sleep(isFirst ? 80 : 1);
        if (isFirst) besideFirst = sizes.length;
        calls -= 1;
        return generate(requests, ...rest);
      };
      const actor = { ...(options.actor as Extract<typeof options.actor, { kind: 'model' }>) };
      const rollout = { ...options.rollout, ...(collection && { collection }) };
      const asked = { ...options, actor: { ...actor, sampling: { ...actor.sampling, exact } }, rollout };
      const episodes = await collectEpisodes(keys(4, 4), asked);
      return { episodes, sizes, most, besideFirst };
    };
    const server = { independent: false, draws: false, concurrent: false, continuous: true };
    const waves = await play(server, 'waves');
    expect(waves.most).toBe(1);
    const own = await play(server);
    expect(own.episodes).toEqual(waves.episodes);
    expect(new Set(own.sizes)).toEqual(new Set([1]));
    expect(own.most).toBeGreaterThan(2);
    // All others played on while the first was answered.
    expect(own.besideFirst).toBeGreaterThan(2 * rolloutSettings.inFlight);
    // With draws that are handed over, a repeatable order is worth the wait.
    expect(await play({ ...server, draws: true })).toMatchObject({ most: 1, sizes: waves.sizes });
    // Exact sampling is the business of another model.
    expect(await play(server, undefined, true)).toMatchObject({ most: 1 });
  });

  it('waits for the other call when one fails', async () => {
    const options = collectOptions();
    const model = promising(options, { concurrent: true });
    let calls = 0;
    let ended = 0;
    const generate = model.generate.bind(model);
    let begin: () => void = () => undefined;
    const secondBegan = new Promise<void>((resolve) => (begin = resolve));
    model.generate = async (...asked) => {
      const isFirst = (calls += 1) === 1;
      if (!isFirst) begin();
      await (isFirst ? Promise.race([secondBegan, sleep(5_000)]) : sleep(20));
      ended += 1;
      if (isFirst) throw new Error('no memory');
      return generate(...asked);
    };
    const rollout = { ...options.rollout, inFlight: 100 };
    await expect(collectEpisodes(keys(25, 4), { ...options, rollout })).rejects.toThrow('no memory');
    expect([calls, ended]).toEqual([2, 2]);
  });

  // Mutation: use `free` for every policy.
  it('is left to policies whose answers do not depend on what else they are asked', async () => {
    const callsOf = async (independent: boolean, collection?: 'waves') => {
      const options = collectOptions({ environments: environmentPool(() => new Uneven()) });
      const model = promising(options, { independent });
      let calls = 0;
      const generate = model.generate.bind(model);
      model.generate = (...asked) => {
        calls += 1;
        return generate(...asked);
      };
      const rollout = { ...options.rollout, ...(collection && { collection }) };
      await collectEpisodes(keys(4, 4), { ...options, rollout });
      return calls;
    };
    const waves = await callsOf(true, 'waves');
    expect(await callsOf(false)).toBe(waves);
    expect(await callsOf(true)).toBeGreaterThan(1.5 * waves);
  });
});

it('keeps an instance from hiding in a pool that is closed', async () => {
  const pool = new EnvironmentPool(localWorld(signalWorld(), worldSettings()), 2);
  await pool.dispose();
  await pool.dispose();
  expect(pool.world.times().close.calls).toBe(1);
});
