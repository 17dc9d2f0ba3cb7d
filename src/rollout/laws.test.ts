// The laws of training that rollouts must keep, as properties of whole collections. Each test names a mutation that
// breaks it. The file is long because the laws are read side by side.
import { describe, expect, it } from 'vitest';

import type { Environment, StepResult } from '../contracts/environment.js';
import type { GeneratedTokens, GenerateRequest, Sampling } from '../contracts/policy.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { buildBatch, rowsOfEpisode } from './build-batch.js';
import { collectEpisodes } from './collect-episodes.js';
import {
  babbler,
  collectOptions,
  endId,
  environmentPool,
  fluent,
  keys,
  modelActor,
  rolloutSettings,
  speakFluently,
  wordLogits,
  worldSettings,
} from './fixtures/collect.js';
import { Signals } from './fixtures/signals.js';

/** Records its requests and its answers. */
class Recording extends TabularPolicy {
  readonly calls: { request: GenerateRequest; answer: GeneratedTokens }[][] = [];

  override async generate(requests: readonly GenerateRequest[], sampling: Sampling): Promise<GeneratedTokens[]> {
    const copies = requests.map((request) => ({ ...request, tokens: [...request.tokens] }));
    const answers = await super.generate(requests, sampling);
    this.calls.push(copies.map((request, index) => ({ request, answer: answers[index]! })));
    return answers;
  }
}

const recording = (contextLength = 2): Recording => {
  const { encoder } = babbler();
  return new Recording({ encoder, contextLength, deviation: 1, seed: 3 });
};

const completed = (episodes: readonly Episode[]): CompletedEpisode[] =>
  episodes.filter((episode) => episode.status === 'completed');

describe('law 1: token in, token out', () => {
  // Mutation: let `EpisodeTokens.addAction` append `encodeAction(decode(tokens))` instead of the tokens. Unknown and
  // marker
  // tokens then change.
  it('grows one sequence by what was sampled and what was seen, and never rewrites it', async () => {
    const model = recording();
    const episodes = completed(await collectEpisodes(keys(3, 4), collectOptions({ actor: modelActor(model) })));
    const callsOf = (name: string) => model.calls.flat().filter(({ request }) => request.sequence === name);
    expect(episodes).toHaveLength(12);
    for (const episode of episodes) {
      const { tokens } = episode.sequences![0]!;
      const calls = callsOf(`1.${episode.group}.${episode.member}.0`);
      expect(calls).toHaveLength(episode.turns.length);
      let expected: number[] = [...model.encoder.begin('Answer the signal.', episode.turns[0]!.observation)];
      for (const [index, turn] of episode.turns.entries()) {
        const { request, answer } = calls[index]!;
        expect(request.tokens).toEqual(expected);
        expect(turn.sampled).toEqual([expected.length, expected.length + answer.tokens.length]);
        expected = [...expected, ...answer.tokens, ...(answer.ended ? [] : [endId])];
        const next = episode.turns[index + 1]?.observation ?? episode.finalObservation;
        if (index + 1 < episode.turns.length || !episode.terminated) {
          expected = [...expected, ...model.encoder.append(next)];
        }
      }
      expect(tokens).toEqual(expected);
    }
    // The babbler also says unknown words and markers; otherwise the property would be easy.
    expect(
      episodes.some(({ sequences: [record] = [] }) =>
        record!.tokens.some((id, t) => record!.mask[t] === 1 && id < endId),
      ),
    ).toBe(true);
  });

  // Mutation: in `EpisodeTokens.addAction`, record the log probabilities one place late.
  it.each([1, 0.7])('records the log probabilities that training computes, at temperature %d', async (temperature) => {
    const model = babbler();
    const actor = modelActor(model, { sampling: { temperature, topP: 1, topK: 0 } });
    const episodes = completed(await collectEpisodes(keys(3, 2), collectOptions({ actor })));
    const batch = buildBatch(episodes.flatMap(rowsOfEpisode), temperature);
    const trained = await model.logprobs(batch);
    batch.mask.forEach((mask, index) => {
      if (mask === 1) expect(Math.abs(trained[index]! - batch.logprobs[index]!)).toBeLessThan(1e-12);
    });
    expect(batch.mask.filter((mask) => mask === 1).length).toBeGreaterThan(20);
  });

  // Mutation: key the stream in `begin` by `attempt.index` modulo `inFlight`.
  it('plays the same episodes however many are in flight, whatever was played before', async () => {
    const all = await Promise.all(
      [1, 3, 100].map((inFlight) =>
        collectEpisodes(keys(3, 3), collectOptions({ rollout: { ...rolloutSettings, inFlight } })),
      ),
    );
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
    const options = collectOptions();
    await collectEpisodes(keys(2, 2), options);
    expect(await collectEpisodes(keys(3, 3), options)).toEqual(all[0]);
    const texts = all[0]!.map((episode) => JSON.stringify(episode.turns.map(({ text }) => text)));
    expect(new Set(texts).size).toBeGreaterThan(6);
  });

  // Mutation: start new episodes only when all live ones have ended. The last calls of each round then shrink.
  it('keeps as many episodes in flight as allowed, in order, one call a wave', async () => {
    const model = recording(1);
    speakFluently(model);
    const episodes = completed(await collectEpisodes(keys(3, 4), collectOptions({ actor: modelActor(model) })));
    expect(new Set(episodes.map(({ turns }) => turns.length)).size).toBeGreaterThan(2);
    const sizes = model.calls.map((call) => call.length);
    expect(Math.max(...sizes)).toBe(4);
    const started = [...new Set(model.calls.flat().map(({ request }) => request.sequence))];
    expect(started).toEqual(keys(3, 4).map(({ group, member }) => `1.${group}.${member}.0`));
    const waiting = model.calls.filter((call) => !call.some(({ request }) => request.sequence === '1.2.3.0'));
    expect(waiting.slice(0, -1).every((call) => call.length === 4)).toBe(true);
  });
});

describe('law 2: masks', () => {
  // Mutation: push the forced end token with mask 1 in `EpisodeTokens.addAction`, or the observation with mask 1.
  it('marks sampled tokens and their sampled end, and nothing else; a cut turn gets its end token forced', async () => {
    const model = recording();
    const actor = modelActor(model, { maxActionTokens: 2 });
    const episodes = completed(await collectEpisodes(keys(4, 4), collectOptions({ actor })));
    const turns = episodes.flatMap((episode) =>
      episode.turns.map((turn) => ({ turn, record: episode.sequences![0]! })),
    );
    for (const episode of episodes) {
      const sampled = new Set(episode.turns.flatMap(({ sampled: [from, to] = [0, 0] }) => range(from, to)));
      expect(episode.sequences![0]!.mask).toEqual(
        episode.sequences![0]!.tokens.map((_, t) => (sampled.has(t) ? 1 : 0)),
      );
      episode.sequences![0]!.logprobs.forEach((logprob, t) => expect(logprob < 0).toBe(sampled.has(t)));
    }
    for (const { turn, record } of turns) {
      const [, to] = turn.sampled!;
      // If the action ended by itself, its end token is the last sampled one; otherwise it comes after.
      expect(record.tokens[turn.cut ? to : to - 1]).toBe(endId);
      expect(record.mask[to]).not.toBe(1);
      expect(turn.text).not.toContain('<end>');
      // A cut text is parsed like any other.
      expect(turn.action === undefined).toBe(turn.text.trim().includes(' '));
    }
    expect(turns.some(({ turn }) => turn.cut && turn.action !== undefined)).toBe(true);
    expect(turns.some(({ turn }) => !turn.cut)).toBe(true);
  });

  // Mutation: step the environment with the text of a malformed turn, or forget `invalid: true` in `malformedStep`.
  it('lets the world stand still where a text is no action, and counts the turn', async () => {
    const actor = modelActor(babbler(), { maxActionTokens: 4 });
    const environment = new Signals();
    const episodes = completed(
      await collectEpisodes(
        keys(6, 1),
        collectOptions({ actor, rollout: { ...rolloutSettings, inFlight: 1 } }, () => environment),
      ),
    );
    const malformed = episodes.flatMap(({ turns }) => turns.map((turn, index) => ({ turn, before: turns[index - 1] })));
    const checked = malformed.filter(({ turn }) => turn.malformed !== undefined);
    expect(checked.length).toBeGreaterThan(3);
    for (const { turn, before } of checked) {
      expect(turn.facts).toEqual({ ...(before?.facts ?? { success: false }), invalid: true });
      expect(turn.native).toBe(0);
    }
    const last = episodes.at(-1)!;
    expect(environment.turns).toBe(last.turns.filter(({ action }) => action !== undefined).length);
  });
});

describe('law 3: rewards', () => {
  // Mutation: write `offset + end` or `offset + start` instead of `offset + end - 1` in `buildBatch`.
  it('puts the reward of a turn on the last token sampled in it', async () => {
    const episodes = completed(await collectEpisodes(keys(4, 4), collectOptions({ actor: modelActor(fluent()) })));
    const batch = buildBatch(episodes.flatMap(rowsOfEpisode), 1);
    for (const [row, episode] of episodes.entries()) {
      const at = (t: number): number => row * batch.width + t;
      const rewarded = range(0, batch.width).filter((t) => batch.rewards[at(t)] !== 0);
      for (const t of rewarded) {
        expect(batch.mask[at(t)]).toBe(1);
        expect(batch.turn[at(t + 1)]).not.toBe(batch.turn[at(t)]);
      }
      const turns = episode.turns.map(({ reward }) => reward);
      expect(rewarded.map((t) => batch.rewards[at(t)])).toEqual(turns.filter((reward) => reward !== 0));
      expect(rewarded.map((t) => batch.turn[at(t)])).toEqual(range(0, turns.length).filter((k) => turns[k] !== 0));
    }
    expect(batch.rewards.filter((reward) => reward !== 0).length).toBeGreaterThan(10);
    // Gaps: after some rewarded turn comes an observation, then another turn.
    expect(batch.rewards.some((reward, index) => reward !== 0 && batch.mask[index + 1] === 0)).toBe(true);
  });
});

describe('law 4: truncated is not terminated', () => {
  const oneWord = { maxActionTokens: 1 };

  // Mutation: compare `turns.length > horizon` in `#capReached`, or ignore the environment's own cap.
  it('names the cap that cut an episode', async () => {
    const actor = modelActor(babbler(), oneWord);
    const horizon = completed(await collectEpisodes(keys(4, 2), collectOptions({ actor, horizon: 2 })));
    const cut = horizon.filter(({ truncated }) => truncated === 'horizon');
    expect(cut.length).toBeGreaterThan(0);
    for (const { turns } of cut) expect(turns).toHaveLength(2);

    const own = completed(
      await collectEpisodes(
        keys(4, 2),
        collectOptions({ actor }, () => new Signals(1)),
      ),
    );
    expect(own.some(({ truncated }) => truncated === 'environment')).toBe(true);

    const short = collectOptions({ actor: modelActor(babbler(), { ...oneWord, maxEpisodeTokens: 20 }) });
    const tokens = completed(await collectEpisodes(keys(4, 2), short)).filter(
      ({ truncated }) => truncated === 'tokens',
    );
    expect(tokens.length).toBeGreaterThan(0);
    // There is no room for another action and its end token; before the last turn there was.
    for (const { sequences: [record] = [], turns } of tokens) {
      expect(record!.tokens.length + 2).toBeGreaterThan(20);
      expect(turns.at(-1)!.sampled![0] + 2).toBeLessThanOrEqual(20);
    }
  });

  // Mutation: check the caps in `take` even if `step.terminated`.
  it('lets the end win on the turn of a cap, every cap at once', async () => {
    const quits: Environment = new Signals(1);
    const player = { name: 'quitter', act: () => 'quit' };
    const options = collectOptions({ actor: { kind: 'player', player }, horizon: 1 }, () => quits);
    const [episode] = completed(await collectEpisodes(keys(1, 1), options));
    expect(episode!.terminated).toBe(true);
    expect(episode).not.toHaveProperty('truncated');

    const model = fluent();
    const prompt = model.encoder.begin('Answer the signal.', 'signal red');
    model.setLogits(prompt, wordLogits(model, 'quit'));
    const cramped = modelActor(model, { maxActionTokens: 1, maxEpisodeTokens: prompt.length + 2 });
    const [crammed] = completed(await collectEpisodes(keys(1, 1), collectOptions({ actor: cramped, horizon: 1 })));
    expect([crammed!.terminated, crammed!.truncated]).toEqual([true, undefined]);
  });

  // Mutation: add the observation only while the episode continues (`if (!this.ended)`), or also if it terminated.
  it('ends a truncated trajectory with the observation of its last action, mask 0, and a terminated one with the action', async () => {
    const model = fluent();
    const episodes = completed(
      await collectEpisodes(keys(6, 3), collectOptions({ actor: modelActor(model), horizon: 3 })),
    );
    for (const { sequences: [record] = [], terminated, turns, finalObservation } of episodes) {
      const [, to] = turns.at(-1)!.sampled!;
      const tail = record!.tokens.slice(to + (turns.at(-1)!.cut ? 1 : 0));
      expect(tail).toEqual(terminated ? [] : model.encoder.append(finalObservation));
      expect(record!.mask.slice(to)).not.toContain(1);
    }
    expect(new Set(episodes.map(({ terminated }) => terminated)).size).toBe(2);
    const batch = buildBatch(episodes.flatMap(rowsOfEpisode), 1);
    expect([...batch.truncated]).toEqual(episodes.map(({ terminated }) => (terminated ? 0 : 1)));
  });

  // Mutation: remove the clipping in `addObservation`.
  it('never grows a sequence beyond what the model can hold, not even by the last observation', async () => {
    const model = babbler({ maxTokens: 21 });
    const episodes = completed(
      await collectEpisodes(keys(3, 3), collectOptions({ actor: modelActor(model, oneWord) })),
    );
    expect(episodes.some(({ sequences: [record] = [] }) => record!.tokens.length === 21)).toBe(true);
    expect(Math.max(...episodes.map(({ sequences: [record] = [] }) => record!.tokens.length))).toBe(21);
    const hopeless = modelActor(babbler({ maxTokens: 5 }));
    const [none] = completed(await collectEpisodes(keys(1, 1), collectOptions({ actor: hopeless })));
    expect([none!.turns.length, none!.truncated, none!.return]).toEqual([0, 'tokens', 0]);
  });
});

describe('law 5: failed episodes are records', () => {
  /** Breaks in some attempts: `breaks` decides whether the second step throws. */
  class Fragile extends Signals {
    constructor(readonly breaks: () => boolean) {
      super();
    }
    override step(action: string): StepResult | Promise<StepResult> {
      if (this.turns === 1 && this.breaks()) throw new Error('the server went away');
      return super.step(action);
    }
  }

  // Mutation: remove `retries` from the episode's stream in `#begin`, or give up at the first failure.
  it('tries again with randomness of its own, then plays on with a fresh environment', async () => {
    const made: Signals[] = [];
    let failures = 2;
    const options = collectOptions({ rollout: { ...rolloutSettings, inFlight: 2, retries: 2 } }, () => {
      const environment = new Fragile(() => failures-- > 0);
      made.push(environment);
      return environment;
    });
    const episodes = completed(await collectEpisodes(keys(1, 4), options));
    expect(episodes.map(({ member }) => member)).toEqual([0, 1, 2, 3]);
    expect(episodes.reduce((sum, { retries }) => sum + retries, 0)).toBe(2);
    expect(made.filter(({ disposed }) => disposed > 0)).toHaveLength(2);
    const calm = completed(await collectEpisodes(keys(1, 4), collectOptions()));
    for (const [index, episode] of episodes.entries()) {
      const same = JSON.stringify(episode.turns) === JSON.stringify(calm[index]!.turns);
      expect(same).toBe(episode.retries === 0);
    }
  });

  // Mutation: omit episodes from the results if they failed after the last retry.
  it('records what broke and where, in the order of the keys', async () => {
    const options = collectOptions({ actor: modelActor(babbler(), { maxActionTokens: 1 }), horizon: 3 }, () => {
      return new Fragile(() => true);
    });
    const bad = [...keys(1, 2), { iteration: 1, task: 'nowhere', group: 1, member: 0 }];
    const episodes = await collectEpisodes(bad, options);
    expect(episodes.map((episode) => episode.status)).toEqual(['failed', 'failed', 'failed']);
    const failures = episodes.map((episode) => (episode.status === 'failed' ? episode.failure : undefined));
    expect(failures[0]).toEqual({ phase: 'step', message: 'the server went away' });
    expect(failures[2]).toEqual({ phase: 'reset', message: '"nowhere" is no task of signals' });
    expect(episodes.map(({ retries, turns }) => [retries, turns.length])).toEqual([
      [1, 1],
      [1, 1],
      [1, 0],
    ]);
    const player = { name: 'mute', act: () => Promise.reject(new Error('no voice')) };
    const [mute] = await collectEpisodes(keys(1, 1), collectOptions({ actor: { kind: 'player', player } }));
    expect(mute).toMatchObject({ status: 'failed', failure: { phase: 'player', message: 'no voice' } });
  });
});

describe('law 8: every wait has a deadline', () => {
  class Hanging extends Signals {
    override step(): Promise<StepResult> {
      return new Promise(() => undefined);
    }
  }

  // Mutation: let `Caller.run` of a local world call `work` without `withinDeadline`; the test then hangs.
  it('gives up an environment that hangs, and plays the other episodes', async () => {
    let made = 0;
    const environments = environmentPool(() => ((made += 1) === 1 ? new Hanging() : new Signals()), {
      settings: worldSettings({}, 30),
    });
    const options = collectOptions({ environments, rollout: { ...rolloutSettings, inFlight: 2, retries: 0 } });
    const actor = modelActor(babbler(), { maxActionTokens: 1 });
    const episodes = await collectEpisodes(keys(2, 3), { ...options, actor });
    expect(episodes.map(({ status }) => status)).toEqual(['failed', ...Array<string>(5).fill('completed')]);
    expect(episodes[0]).toMatchObject({ failure: { phase: 'deadline', message: 'step took longer than 0.03 s' } });
  });

  // Mutation: remove `unlessAborted` around `somethingHappens`.
  it('stops waiting at once when interrupted, and throws its environments away', async () => {
    const controller = new AbortController();
    const made: Signals[] = [];
    const create = () => {
      made.push(new Hanging());
      return made.at(-1)!;
    };
    const environments = environmentPool(create, { settings: worldSettings({ signal: controller.signal }, 60_000) });
    const options = collectOptions({ signal: controller.signal, environments });
    const collecting = collectEpisodes(keys(2, 2), {
      ...options,
      actor: modelActor(babbler(), { maxActionTokens: 1 }),
    });
    setTimeout(() => controller.abort(), 20);
    await expect(collecting).rejects.toMatchObject({ code: 'AG_INTERRUPTED' });
    expect(made.map(({ disposed }) => disposed)).toEqual([1, 1, 1, 1]);
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
