import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { Judge, JudgedEpisode, JudgedScores } from '../contracts/reward.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import { createRandom } from '../random/create-random.js';
import { collectEpisodes, type CollectOptions } from './collect-episodes.js';
import { composeReward, type ComposedReward } from './compose-reward.js';
import { collectOptions, environmentPool, keys, rolloutSettings } from './fixtures/collect.js';
import { OpenJudge } from './open-judge.js';
import { SharedLimits, takeFrom } from './shared-limits.js';
import { type KeptVerdict, Verdicts } from './verdicts.js';

const bounds = () => ({ success: [0, 1], failure: [0, 1] }) as const;
const outcome = {
  density: 'outcome' as const,
  score: ({ facts, previous }: { facts: { success: boolean }; previous?: { success: boolean } }) =>
    Number(facts.success && previous?.success !== true),
  bounds,
};
const zeros = ({ turns }: JudgedEpisode): JudgedScores => ({ scores: turns.map(() => 0) });

function judged(members: Partial<Judge>, verdicts = new Verdicts(), limits = new SharedLimits()): ComposedReward {
  const judge = new OpenJudge(
    { density: 'turn', bounds, judge: (group) => group.map(zeros), ...members },
    {
      ...{ name: 'lengths', title: 'reward `lengths`', identity: 'lengths 1', verdicts },
      random: createRandom(1),
      take: takeFrom(limits),
    },
  );
  return composeReward([
    { name: 'lengths', weight: 0.5, judge, external: false, references: true },
    { name: 'outcome', weight: 1, scheme: outcome },
  ]);
}

/** The number of characters of each turn's text: an independent statement of what the judge below gives. */
const byLength: Partial<Judge> = {
  judge: (group) =>
    group.map(({ turns }) => ({ scores: turns.map(({ text }) => text.length), reason: 'as long as it is', tokens: 7 })),
};
const rollout = { ...rolloutSettings, maxFailedShare: 1 };
const play = (reward: ComposedReward, changes: Partial<CollectOptions> = {}, groups = 4, size = 3) =>
  collectEpisodes(keys(groups, size), collectOptions({ reward, rollout, ...changes }));
const completed = (episodes: readonly Episode[]) =>
  episodes.map((episode) => {
    if (episode.status !== 'completed') throw new Error(episode.failure.message);
    return episode;
  });

describe('judges', () => {
  it('add their numbers to those of the schemes, turn by turn, and change nothing else', async () => {
    const actor = { kind: 'environment', player: 'demonstrator' } as const;
    const plain = completed(await play(composeReward([{ name: 'outcome', weight: 1, scheme: outcome }]), { actor }));
    const both = completed(await play(judged(byLength), { actor }));
    expect(plain.some(({ success }) => success) && plain.some(({ turns }) => turns.length > 1)).toBe(true);
    for (const [place, { turns, return: total, verdicts, ...rest }] of both.entries()) {
      const { turns: own, return: before, ...same } = plain[place] as CompletedEpisode;
      expect(rest).toEqual(same);
      const characters = turns.reduce((sum, { text }) => sum + text.length, 0);
      expect(total).toBeCloseTo(before + 0.5 * characters, 9);
      expect(verdicts).toEqual([{ judge: 'lengths', score: characters, reason: 'as long as it is', tokens: 7 }]);
      for (const [index, turn] of turns.entries()) {
        const components = { lengths: 0.5 * turn.text.length, outcome: own[index]!.reward };
        expect(turn).toEqual({ ...own[index], components, reward: components.lengths + components.outcome });
        // Terms keep the order of the recipe.
        expect(Object.keys(turn.components)).toEqual(['lengths', 'outcome']);
      }
    }
  });

  it('read a whole group with the rules and right answers of its task', async () => {
    const groups: (readonly JudgedEpisode[])[] = [];
    const judge: Judge['judge'] = (group) => {
      groups.push(group);
      return group.map(zeros);
    };
    const reward = judged({ judge });
    const world = { about: (task: string) => ({ references: [`${task} is right`] }) };
    const episodes = completed(
      await play(reward, { environments: environmentPool(undefined, { world }), rollout: { ...rollout, inFlight: 3 } }),
    );
    const bySize = groups.map((group) => [new Set(group.map(({ task }) => task)).size, group.length]);
    expect(bySize).toEqual([1, 2, 3, 4].map(() => [1, 3]));
    expect(groups[0]![0]).toMatchObject({
      instructions: 'Answer the signal.',
      references: [`${groups[0]![0]!.task} is right`],
      turns: episodes
        .find(({ task }) => task === groups[0]![0]!.task)!
        .turns.map(({ text, observation }) => ({ text, observation })),
    });
    expect(episodes[0]!.references).toEqual(['train-0 is right']);
  });

  it('play on while a judge reads', async () => {
    let begun = 0;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reward = judged({
      async judge(group) {
        begun += 1;
        // The first group waits for the last: a collection that waits for a judge would never end.
        if (begun === 4) release();
        await held;
        return group.map(zeros);
      },
    });
    completed(await play(reward, { rollout: { ...rollout, inFlight: 3 } }));
    expect(begun).toBe(4);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('out of order')), 'lengths: out of order'],
    [
      'gives NaN',
      (group: readonly JudgedEpisode[]) => group.map(({ turns }) => ({ scores: turns.map(() => NaN) })),
      'scores[0]: must be a finite number, not NaN',
    ],
    [
      'gives a number too few',
      (group: readonly JudgedEpisode[]) => group.map(({ turns }) => ({ scores: turns.slice(1).map(() => 0) })),
      'must have a number for each of',
    ],
    [
      'forgets an episode',
      (group: readonly JudgedEpisode[]) => group.slice(1).map(zeros),
      'a judgement for each of 3 episodes, not 2',
    ],
    ['gives nothing', () => undefined as never, 'must give a list of judgements, not undefined'],
  ] as const)('that fail make failed episodes: one that %s', async (_what, judge, message) => {
    let calls = 0;
    const counting: Judge['judge'] = (group) => {
      calls += 1;
      return judge(group);
    };
    const episodes = await play(judged({ judge: counting }), {}, 2);
    for (const episode of episodes) {
      expect(episode).toMatchObject({ status: 'failed', failure: { phase: 'judge' }, retries: 0 });
      expect(episode.status === 'failed' && episode.failure.message).toContain(message);
      expect(episode.turns.length).toBeGreaterThan(0);
    }
    // Two groups, and one repetition of each.
    expect(calls).toBe(4);
  });

  it('that hang have a deadline, and are told', async () => {
    const told: unknown[] = [];
    const judge: Judge['judge'] = (_, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => told.push(signal.reason)));
    const [episode] = await play(judged({ judge, seconds: 0.02 }), {}, 1);
    expect(episode).toMatchObject({
      status: 'failed',
      failure: { phase: 'deadline', message: 'lengths: the judge "lengths" took longer than 0.02 s' },
    });
    expect(told).toHaveLength(2);
  });

  it('are asked again after a failure, with other random numbers', async () => {
    const drawn: number[] = [];
    const judge: Judge['judge'] = (group, { random }) => {
      drawn.push(random.uniform());
      if (drawn.length === 1) throw new Error('busy');
      return group.map(zeros);
    };
    completed(await play(judged({ judge }), {}, 1));
    expect(new Set(drawn).size).toBe(2);
  });

  it('that are gone end the collection', async () => {
    const judge = () => Promise.reject(Object.assign(new Error('nobody listens'), { code: 'UNAVAILABLE' }));
    await expect(play(judged({ judge }))).rejects.toMatchObject({
      code: 'AG_REWARD_UNAVAILABLE',
      message: 'The reward `lengths` cannot judge: nobody listens',
    });
  });

  it.each([
    [{ concurrency: 0 }, 'create().concurrency: must be a whole number above 0, not 0'],
    [{ seconds: Infinity }, 'create().seconds: must be a number above 0 and at most 2147483, not Infinity'],
    [{ seconds: 0 }, 'create().seconds'],
  ])('with limits that no call can keep are refused: %j', (limits, message) => {
    expect(() => judged(limits)).toThrow(message);
  });

  // Goes red when all judges of a contribution share a limit: another number of it would be an error.
  it('may be asked with different limits in two stages', async () => {
    const limits = new SharedLimits();
    for (const concurrency of [1, 2]) completed(await play(judged({ concurrency }, new Verdicts(), limits), {}, 1));
  });

  it('are asked so many times at once as they say', async () => {
    let [running, most] = [0, 0];
    const judge: Judge['judge'] = async (group) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(2);
      running -= 1;
      return group.map(zeros);
    };
    completed(await play(judged({ judge, concurrency: 2 }), { rollout: { ...rollout, inFlight: 64 } }, 12));
    expect(most).toBe(2);
  });

  it('end with an interruption', async () => {
    const user = new AbortController();
    const ended: boolean[] = [];
    const judge: Judge['judge'] = async (_, { signal }) => {
      setTimeout(() => user.abort(), 10);
      await sleep(60_000, undefined, { signal }).finally(() => ended.push(true));
      return [];
    };
    await expect(play(judged({ judge }), { signal: user.signal })).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
    await sleep(0);
    expect(ended.length).toBeGreaterThan(0);
  });

  it('are asked once for what is kept, and once for equal episodes', async () => {
    const kept: KeptVerdict[] = [];
    const fresh = () => {
      const verdicts = new Verdicts();
      verdicts.keepIn(kept, (verdict) => Promise.resolve(void kept.push(verdict)));
      return verdicts;
    };
    let calls = 0;
    const judge: Judge['judge'] = (group) => {
      calls += group.length;
      return group.map(({ turns }) => ({ scores: turns.map(({ text }) => text.length) }));
    };
    const alone = { judge, alone: true };
    const short = [{ horizon: 1, actor: { kind: 'environment', player: 'random' } }, 4, 12] as const;
    const first = await play(judged(alone, fresh()), ...short);
    const different = new Set(
      completed(first).map(({ task, turns, finalObservation, terminated, truncated }) =>
        JSON.stringify([
          task,
          turns.map(({ observation, text }) => [observation, text]),
          finalObservation,
          terminated,
          truncated,
        ]),
      ),
    );
    expect(calls).toBe(different.size);
    expect(calls).toBeLessThan(first.length);
    expect(kept).toHaveLength(calls);
    const again = await play(
      judged({ judge: () => Promise.reject(new Error('gone')), alone: true }, fresh()),
      ...short,
    );
    expect(again).toEqual(first);
    // A judge of groups is another question.
    await play(judged({ judge }, fresh()), ...short);
    expect(calls).toBe(different.size + first.length);
  });
});
