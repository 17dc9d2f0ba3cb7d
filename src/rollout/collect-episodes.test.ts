import { describe, expect, it } from 'vitest';

import type { PlayerTurn } from '../contracts/player.js';
import type { GeneratedTokens } from '../contracts/policy.js';
import { collectEntries, collectEpisodes } from './collect-episodes.js';
import {
  babbler,
  collectOptions,
  environmentPool,
  fluent,
  keys,
  modelActor,
  rolloutSettings,
} from './fixtures/collect.js';
import { Signals } from './fixtures/signals.js';
import { expertActor } from './players.js';
import { summarizeEpisodes } from './summarize-episodes.js';

describe('players without tokens', () => {
  it('see all that was shown and said so far, and play through the same loop', async () => {
    const turns: Omit<PlayerTurn, 'random' | 'admissible'>[] = [];
    const legal: unknown[] = [];
    const player = {
      name: 'scripted',
      act: async ({ task, system, observations, texts, admissible }: PlayerTurn) => {
        turns.push({ task, system, observations: [...observations], texts: [...texts] });
        legal.push(await admissible());
        return ['stop', 'hm', 'quit'][texts.length]!;
      },
    };
    const [episode] = await collectEpisodes(keys(1, 1), collectOptions({ actor: { kind: 'player', player } }));
    expect(turns.map(({ system }) => system)).toEqual(Array(3).fill('Answer the signal.'));
    // The game has no list of actions.
    expect(legal).toEqual(Array(3).fill(undefined));
    expect(turns.map(({ task }) => task)).toEqual(Array(3).fill(episode!.task));
    expect(turns.at(-1)!.texts).toEqual(['stop', 'hm']);
    expect(turns.at(-1)!.observations).toHaveLength(3);
    expect(turns.at(-1)!.observations[0]).toBe('signal red');
    expect(turns.at(-1)!.observations[2]).toMatch(/^what signal/);
    expect(episode).toMatchObject({ status: 'completed', terminated: true, success: false });
    expect(episode).not.toHaveProperty('record');
    expect(episode!.turns.map(({ action, cut, facts }) => [action, cut, facts.invalid])).toEqual([
      ['stop', false, false],
      ['hm', false, true],
      ['quit', false, false],
    ]);
  });

  it('are the random baseline and the experts', async () => {
    const play = (player: string) => {
      const options = collectOptions();
      const actor = expertActor(options.environments.world, player);
      return collectEpisodes(keys(4, 4), { ...options, actor });
    };
    expect(summarizeEpisodes(await play('oracle'))).toMatchObject({
      success: 1,
      turnsMean: 3,
      tokens: 0,
    });
    const random = summarizeEpisodes(await play('random'));
    expect(random.success).toBeLessThan(1);
    expect(random.invalid).toBe(0);
    expect(() => play('nobody')).toThrow(expect.objectContaining({ code: 'AG_NO_EXPERT' }) as Error);
  });
});

describe('summarizeEpisodes', () => {
  it('counts what happened, by hand', async () => {
    const actor = modelActor(fluent(), { maxActionTokens: 2 });
    const episodes = await collectEpisodes(keys(4, 4), collectOptions({ actor, horizon: 3 }));
    const completed = episodes.filter((episode) => episode.status === 'completed');
    const summary = summarizeEpisodes(episodes);
    const turns = completed.flatMap((episode) => episode.turns);
    const sampled = completed
      .flatMap(({ sequences: [record] = [] }) => record!.mask)
      .filter((mask) => mask === 1).length;
    expect(summary).toMatchObject({ completed: 16, failed: 0, turns: turns.length, tokens: sampled });
    expect(summary.truncated).toBe(completed.filter(({ terminated }) => !terminated).length / 16);
    expect(summary.truncatedBy.horizon).toBe(summary.truncated);
    expect(summary.cut).toBeCloseTo(turns.filter(({ cut }) => cut).length / turns.length, 12);
    expect(summary.components['dense']).toBeCloseTo(summary.returnMean, 12);
    expect(summarizeEpisodes([])).toMatchObject({ completed: 0, success: 0, turnsMean: 0, components: {} });
  });
});

describe('environments', () => {
  it('are reused, given back, and disposed of with their pool', async () => {
    const made: Signals[] = [];
    const environments = environmentPool(() => {
      made.push(new Signals());
      return made.at(-1)!;
    });
    await collectEpisodes(keys(4, 5), collectOptions({ environments }));
    expect(made).toHaveLength(rolloutSettings.inFlight);
    const held = await environments.acquire();
    await environments.dispose();
    expect(made.every(({ disposed }) => disposed === 1)).toBe(true);
    environments.release(held);
    expect(made.every(({ disposed }) => disposed === 1)).toBe(true);
  });
});

describe('a policy that breaks its contract', () => {
  it.each([
    ['nothing', []],
    ['no tokens', [{ tokens: [], logprobs: [], ended: true }]],
    ['too few log probabilities', [{ tokens: [5, 4], logprobs: [-1], ended: true }]],
  ])('is named where it answers %s', async (_, answers: GeneratedTokens[]) => {
    const model = babbler();
    model.generate = () => Promise.resolve(answers);
    const collecting = collectEpisodes(keys(1, 1), collectOptions({ actor: modelActor(model) }));
    await expect(collecting).rejects.toMatchObject({ code: 'AG_POLICY_ANSWER' });
  });
});

describe('several environments', () => {
  const settings = { rollout: { ...rolloutSettings, inFlight: 8 }, signal: new AbortController().signal };
  const keysOf = (entry: string, count: number) => keys(count, 1).map((key) => ({ ...key, entry }));

  // Goes red when an environment of one instance holds up the episodes of the others.
  it('wait for their own instances only', async () => {
    const model = fluent();
    const playing = (limit: number) => {
      return collectOptions({ actor: modelActor(model), environments: environmentPool(undefined, { limit }) });
    };
    let [most, now] = [0, 0];
    const pool = environmentPool(undefined, { limit: 8 });
    const acquire = pool.acquire.bind(pool);
    pool.acquire = () => {
      now += 1;
      most = Math.max(most, now);
      return acquire();
    };
    const release = pool.release.bind(pool);
    pool.release = (instance) => {
      now -= 1;
      release(instance);
    };
    const entries = [
      { entry: 'narrow', ...playing(1) },
      { entry: 'wide', ...playing(8), environments: pool },
    ] as const;
    const all = [...keysOf('narrow', 6), ...keysOf('wide', 6)];
    const episodes = await collectEntries(all, { ...settings, entries });
    expect(episodes.map(({ entry, task, status }) => [entry, task, status])).toEqual(
      all.map(({ entry, task }) => [entry, task, 'completed']),
    );
    expect(most).toBe(6);
  });

  // Goes red when an episode depends on what is played beside it, or is sampled as another environment says.
  it('are sampled each in its own way, and played as alone', async () => {
    const model = fluent();
    const asked: number[] = [];
    const generate = model.generate.bind(model);
    model.generate = (requests, sampling, signal) => {
      asked.push(sampling.temperature);
      return generate(requests, sampling, signal);
    };
    const playing = (temperature: number, horizon: number) =>
      collectOptions({ actor: modelActor(model, { sampling: { temperature, topP: 1, topK: 0 } }), horizon });
    const [cold, warm] = [playing(0.5, 2), playing(1.5, 5)];
    const together = await collectEntries([...keysOf('cold', 4), ...keysOf('warm', 4)], {
      ...settings,
      entries: [
        { entry: 'cold', ...cold },
        { entry: 'warm', ...warm },
      ],
    });
    expect(new Set(asked)).toEqual(new Set([0.5, 1.5]));
    const alone = [
      ...(await collectEpisodes(keysOf('cold', 4), { ...cold, ...settings })),
      ...(await collectEpisodes(keysOf('warm', 4), { ...warm, ...settings })),
    ];
    expect(together).toEqual(alone);
    expect(Math.max(...together.map(({ turns }) => turns.length))).toBeGreaterThan(2);
  });
});
