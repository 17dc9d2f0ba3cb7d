import { describe, expect, it } from 'vitest';

import type { PlayerTurn } from '../contracts/player.js';
import type { GeneratedTokens } from '../contracts/policy.js';
import { collectEpisodes } from './collect-episodes.js';
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
