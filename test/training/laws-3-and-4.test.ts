// Laws 3 and 4 through the whole trainer. The tabular policy plays episodes of a game with dense rewards, and the
// horizon cuts some of them. The results of PPO on this batch are compared with textbook loops over the recorded
// episodes: tokens, turns and rewards, and a critic that reads one sequence at a time.
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import * as ppo from '../../plugins/algo-ppo/src/ppo.js';
import { options as declared, type Options } from '../../plugins/algo-ppo/src/options.js';
import type { Advantages, Algorithm } from '../../src/contracts/algorithm.js';
import type { TrainingBatch } from '../../src/contracts/batch.js';
import type { CompletedEpisode, TokenRecord } from '../../src/contracts/trajectory.js';
import { emptyBatch } from '../../src/credit/batch-columns.js';
import { babbler, fluent, modelActor } from '../../src/rollout/fixtures/collect.js';
import { optionDefaults } from '../../src/testing/option-defaults.js';
import type { TabularPolicy } from '../../src/testing/tabular-policy.js';
import { testHost } from '../../src/testing/test-host.js';
import { reinforcement } from '../../src/training/fixtures/stages.js';
import { trainReinforcement } from '../../src/training/reinforcement.js';

interface Step {
  readonly batch: TrainingBatch;
  readonly made: Advantages;
  readonly episodes: readonly CompletedEpisode[];
  /** The critic in the state that the batch was computed with. */
  readonly critic: TabularPolicy;
}

const makeCritic = (): TabularPolicy => babbler({ contextLength: 4, deviation: 0, valueHead: true });

/** Takes three steps of PPO, and returns the input and the result of the last one. */
async function lastStep(chosen: Partial<Options>): Promise<Step> {
  const options = { ...optionDefaults(declared), whiten: false, criticWarmup: 0, ...chosen };
  const algorithm: Algorithm = ppo.create(options, testHost());
  const seen: { batch: TrainingBatch; made: Advantages }[] = [];
  const spying: Algorithm = {
    ...algorithm,
    advantages: (batch, state) => {
      const made = algorithm.advantages(batch, state);
      seen.push({ batch, made });
      return made;
    },
  };
  const model = fluent();
  const critic = makeCritic();
  const stage = reinforcement({
    model,
    critic,
    actor: modelActor(model),
    algorithm: spying,
    steps: 3,
    record: 1000,
    horizon: { schedule: 'fixed', turns: 3 },
    update: { groupSize: 6 },
  });
  expect(await trainReinforcement(stage)).toMatchObject({ status: 'completed', steps: 3 });
  const before = makeCritic();
  await before.load(join(stage.journal.checkpoints.at(-2)!.folder, 'critic'));
  const episodes = stage.journal.kept.at(-1)!.episodes.filter((episode) => episode.status === 'completed');
  return { ...seen.at(-1)!, episodes, critic: before };
}

/** V after some tokens, computed slowly: a separate row with one more token. */
async function valueAfter(critic: TabularPolicy, tokens: readonly number[]): Promise<number> {
  const width = tokens.length + 1;
  const found = await critic.values({
    ...emptyBatch({ rows: 1, width, temperature: 1 }),
    tokens: Int32Array.from([...tokens, 0]),
    length: Int32Array.of(width),
    mask: Uint8Array.from([...tokens.map(() => 0), 1]),
  });
  return found[tokens.length]!;
}

/** Sampled tokens of an episode in order, each with its reward. The reward of a turn is on its last token. */
function sampledTokens({ turns }: CompletedEpisode): { position: number; reward: number; turn: number }[] {
  return turns.flatMap(({ sampled, reward }, turn) => {
    const [start, end] = sampled!;
    return Array.from({ length: end - start }, (_, t) => ({
      position: start + t,
      reward: start + t === end - 1 ? reward : 0,
      turn,
    }));
  });
}

/** Advantages of an episode's sampled tokens, one by one, directly from the equations. */
async function slowAdvantages(
  episode: CompletedEpisode,
  critic: TabularPolicy,
  { lambda, tokenDiscount, turnDiscount, bootstrap }: Options,
): Promise<{ position: number; advantage: number; target: number }[]> {
  const { tokens } = episode.sequences![0] as TokenRecord;
  const steps = sampledTokens(episode);
  const values = await Promise.all(steps.map(({ position }) => valueAfter(critic, tokens.slice(0, position))));
  const cut = episode.truncated !== undefined && bootstrap;
  values.push(cut ? await valueAfter(critic, tokens) : 0);
  const discounts = steps.map(({ turn }, i) => (steps[i + 1]?.turn === turn ? 1 : turnDiscount) * tokenDiscount);
  const deltas = steps.map(({ reward }, i) => reward + discounts[i]! * values[i + 1]! - values[i]!);
  return steps.map(({ position }, i) => {
    let advantage = 0;
    let factor = 1;
    for (let later = i; later < steps.length; later += 1) {
      advantage += factor * deltas[later]!;
      factor *= discounts[later]! * lambda;
    }
    return { position, advantage, target: advantage + values[i]! };
  });
}

/** The row of an episode in the batch. */
function rowOf(batch: TrainingBatch, { sequences: [record] = [] }: CompletedEpisode): number {
  const { tokens, logprobs } = record as TokenRecord;
  return Array.from({ length: batch.rows }, (_, row) => row).find(
    (row) =>
      batch.length[row] === tokens.length &&
      tokens.every((token, t) => batch.tokens[row * batch.width + t] === token) &&
      logprobs.every((logprob, t) => batch.logprobs[row * batch.width + t] === logprob),
  )!;
}

describe('law 3: rewards stand on the last sampled token of their turn, and credit crosses observations', () => {
  // Mutations that turn this red: in `buildBatch`, place the reward at `offset + end`; in `generalizedAdvantages`,
  // start again at each turn, or read the value of the token after a gap instead of the next sampled one.
  it.each<[string, Partial<Options>]>([
    ['lambda 1', {}],
    ['lambda 0.7', { lambda: 0.7 }],
    ['both discounts', { lambda: 0.9, tokenDiscount: 0.95, turnDiscount: 0.8 }],
  ])('token by token, %s', async (_, chosen) => {
    const { batch, made, episodes, critic } = await lastStep(chosen);
    expect(episodes).toHaveLength(batch.rows);
    const options = { ...optionDefaults(declared), ...chosen };
    const dense = episodes.filter(({ turns }) => turns.slice(0, -1).some(({ reward }) => reward !== 0));
    expect(dense.length).toBeGreaterThan(0);
    let sampled = 0;
    for (const episode of episodes) {
      const row = rowOf(batch, episode);
      for (const { position, reward } of sampledTokens(episode)) {
        expect(batch.rewards[row * batch.width + position]).toBe(reward);
      }
      for (const { position, advantage, target } of await slowAdvantages(episode, critic, options)) {
        const index = row * batch.width + position;
        expect(made.advantages[index]).toBeCloseTo(advantage, 12);
        expect(made.returns![index]).toBeCloseTo(target, 12);
        sampled += 1;
      }
    }
    // All other tokens have 0.
    expect(batch.mask.reduce((sum, mask) => sum + mask, 0)).toBe(sampled);
    for (const [index, mask] of batch.mask.entries()) {
      if (mask === 0) expect([batch.rewards[index], made.advantages[index]]).toEqual([0, 0]);
    }
  });
});

describe('law 4: truncated is not terminated', () => {
  // Mutations that turn this red: in `valuesAfterCut`, read the value at the last token instead of after it, or for
  // every row; in `generalizedAdvantages`, start with 0, or also use the bootstrap value of terminated rows.
  it('the critic speaks for what a cut episode had ahead, and for no other', async () => {
    const { batch, made, episodes, critic } = await lastStep({ lambda: 0 });
    const cut = episodes.filter(({ truncated }) => truncated === 'horizon');
    const ended = episodes.filter(({ terminated }) => terminated);
    expect([cut.length > 0, ended.length > 0, cut.length + ended.length]).toEqual([true, true, episodes.length]);
    let spoken = 0;
    for (const episode of episodes) {
      const row = rowOf(batch, episode);
      const last = sampledTokens(episode).at(-1)!;
      const { tokens } = episode.sequences![0] as TokenRecord;
      // A cut episode ends with the observation after its last action, and the value estimates everything after that.
      const ahead = episode.truncated === undefined ? 0 : await valueAfter(critic, tokens);
      if (episode.truncated !== undefined) expect(tokens.length).toBeGreaterThan(last.position + 1);
      spoken += Math.abs(ahead);
      expect(batch.bootstrapValue[row]).toBe(ahead);
      const before = await valueAfter(critic, tokens.slice(0, last.position));
      expect(made.advantages[row * batch.width + last.position]).toBeCloseTo(last.reward + ahead - before, 12);
    }
    expect(spoken).toBeGreaterThan(0.01);
  });

  it('without the bootstrap a cut is an end', async () => {
    const { batch, made, episodes, critic } = await lastStep({ lambda: 0, bootstrap: false });
    const cut = episodes.find(({ truncated }) => truncated === 'horizon')!;
    const last = sampledTokens(cut).at(-1)!;
    const before = await valueAfter(critic, cut.sequences![0]!.tokens.slice(0, last.position));
    const index = rowOf(batch, cut) * batch.width + last.position;
    expect(made.advantages[index]).toBeCloseTo(last.reward - before, 12);
  });
});
