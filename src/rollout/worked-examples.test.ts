// The laws of training, in episodes that begin with worked games. Each test names a mutation that breaks it.
import { describe, expect, it } from 'vitest';

import type { TextPlayer } from '../contracts/player.js';
import type { ConversationEncoder } from '../contracts/policy.js';
import type { CompletedEpisode, Episode } from '../contracts/trajectory.js';
import { crossEntropy } from '../training/supervised.js';
import { TabularEncoder } from '../testing/tabular-encoder.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { buildBatch, rowsOfEpisode } from './build-batch.js';
import { collectEpisodes } from './collect-episodes.js';
import { layOutDemonstration } from './demonstration.js';
import { babbler, collectOptions, keys, modelActor, rolloutSettings } from './fixtures/collect.js';
import { signalTexts } from './fixtures/signals.js';
import { type ExampleGame, WorkedExamples } from './worked-examples.js';

const games: readonly [ExampleGame, ...ExampleGame[]] = [
  { task: 'train-7', observations: ['signal amber', 'signal red', 'signal red'], texts: ['wait', 'stop'], calls: [] },
  { task: 'train-8', observations: ['signal green', ''], texts: ['go'], calls: [] },
];

const knowing = (options = {}): TabularPolicy =>
  new TabularPolicy({ texts: [...signalTexts, 'New game.'], contextLength: 2, deviation: 1, seed: 3, ...options });

const completed = (episodes: readonly Episode[]): CompletedEpisode[] =>
  episodes.filter((episode) => episode.status === 'completed');

/** The ids of a whole conversation, put together by hand. */
function slowBeginning(encoder: ConversationEncoder, observation: string): readonly number[] {
  const [end] = encoder.endIds as [number];
  return [
    ...encoder.begin('Answer the signal.', 'signal amber'),
    ...encoder.encodeAction('wait'),
    end,
    ...encoder.append('signal red'),
    ...encoder.encodeAction('stop'),
    end,
    ...encoder.append('signal red\n\nNew game.\n\nsignal green'),
    ...encoder.encodeAction('go'),
    end,
    ...encoder.append(`New game.\n\n${observation}`),
  ];
}

const play = async (model: TabularPolicy, changes = {}) =>
  completed(
    await collectEpisodes(
      keys(3, 4),
      collectOptions({ actor: modelActor(model, { prompt: { examples: new WorkedExamples(games) }, ...changes }) }),
    ),
  );

describe('worked examples', () => {
  // Mutations: give their actions mask 1; leave out their end tokens; join two games as two messages.
  it('are the beginning that a slow encoder writes, and nothing of it is sampled', async () => {
    const model = knowing();
    for (const { sequences: [record] = [], turns } of await play(model)) {
      const beginning = slowBeginning(model.encoder, turns[0]!.observation);
      expect(record!.tokens.slice(0, beginning.length)).toEqual(beginning);
      expect(turns[0]!.sampled![0]).toBe(beginning.length);
      expect(record!.mask.slice(0, beginning.length)).not.toContain(1);
      const sampled = turns.reduce((sum, turn) => sum + turn.sampled![1] - turn.sampled![0], 0);
      expect(record!.mask.filter((mask) => mask === 1)).toHaveLength(sampled);
    }
  });

  // Mutation: let `EpisodeTokens` sample after the examples without the first observation.
  it('condition the log probabilities that are recorded and trained', async () => {
    const model = knowing({ contextLength: 3 });
    const episodes = await play(model);
    const batch = buildBatch(episodes.flatMap(rowsOfEpisode), 1);
    const trained = await model.logprobs(batch);
    const slow = buildBatch(
      episodes.map((episode) => {
        const row = rowsOfEpisode(episode, 0)[0]!;
        const beginning = slowBeginning(model.encoder, episode.turns[0]!.observation);
        return {
          ...row,
          record: { ...row.record, tokens: [...beginning, ...row.record.tokens.slice(beginning.length)] },
        };
      }),
      1,
    );
    const reference = await model.logprobs(slow);
    let compared = 0;
    batch.mask.forEach((mask, index) => {
      if (mask !== 1) return;
      compared += 1;
      expect(trained[index]).toBe(reference[index]);
      expect(Math.abs(trained[index]! - batch.logprobs[index]!)).toBeLessThan(1e-12);
    });
    expect(compared).toBeGreaterThan(20);
  });

  // Mutation: multiply with the mask instead of selecting.
  it('have no loss, whatever stands beside their tokens', async () => {
    const model = knowing();
    const batch = buildBatch((await play(model)).flatMap(rowsOfEpisode), 1);
    batch.weight.fill(1);
    const before = await model.forwardBackward(batch, crossEntropy);
    for (const [index, mask] of batch.mask.entries()) {
      if (mask === 1) continue;
      for (const column of [batch.logprobs, batch.weight, batch.advantages, batch.rewards]) column[index] = NaN;
    }
    const after = await model.forwardBackward(batch, crossEntropy);
    expect(after.terms).toEqual(before.terms);
    const sampled = [...batch.mask].flatMap((mask, index) => (mask === 1 ? [after.logprobs[index]!] : []));
    expect(Object.values(after.terms)[0]).toBeCloseTo(-sampled.reduce((sum, logprob) => sum + logprob, 0), 9);
    const prefix = [...batch.mask].flatMap((mask, index) => (mask === 0 ? [after.logprobs[index]] : []));
    expect(new Set(prefix)).toEqual(new Set([0]));
  });

  // Mutation: leave the memory of `begin` out.
  it('are encoded once for all episodes', async () => {
    let encoded = 0;
    class Counting extends TabularEncoder {
      override encodeAction(text: string): readonly number[] {
        encoded += 1;
        return super.encodeAction(text);
      }
    }
    const { level, pieces } = TabularEncoder.fromTexts('word', [...signalTexts, 'New game.']);
    const model = new TabularPolicy({ encoder: new Counting(level, pieces), contextLength: 2, deviation: 1, seed: 3 });
    expect(await play(model)).toHaveLength(12);
    expect(encoded).toBe(3);
  });

  // Mutation: count only the tokens after the examples in `hasRoom`.
  it('count in the tokens of an episode', async () => {
    const model = knowing();
    const { length } = slowBeginning(model.encoder, 'signal red');
    const none = await play(model, { maxEpisodeTokens: length + 3, maxActionTokens: 3 });
    expect(none.every(({ turns, truncated }) => turns.length === 0 && truncated === 'tokens')).toBe(true);
    const one = await play(model, { maxEpisodeTokens: length + 4, maxActionTokens: 3 });
    expect(one.every(({ turns }) => turns.length === 1)).toBe(true);
  });

  // Mutation: let `layOutDemonstration` ignore them.
  it('begin demonstrations as they begin episodes', () => {
    const model = knowing();
    const examples = new WorkedExamples(games);
    const demonstration = {
      name: 'd',
      system: 'Answer the signal.',
      observations: ['signal red', ''],
      texts: ['stop'],
    };
    const layOut = (maxTokens: number) =>
      layOutDemonstration(demonstration, model.encoder, { maxTokens, actionTokens: 1, examples })?.rows[0];
    const { record, turns } = layOut(1000)!;
    const beginning = slowBeginning(model.encoder, 'signal red');
    expect(record.tokens.slice(0, beginning.length)).toEqual(beginning);
    expect(turns[0]!.sampled[0]).toBe(beginning.length);
    expect(record.mask.slice(0, beginning.length)).not.toContain(1);
    expect(layOut(beginning.length + 1)).toBeUndefined();
  });

  // Mutation: give players only the observations of their own game.
  it('are messages of a player without tokens', async () => {
    const seen: { observations: readonly string[]; texts: readonly string[]; system: string }[] = [];
    const player: TextPlayer = {
      name: 'reader',
      concurrency: 1,
      act({ observations, texts, system }) {
        seen.push({ observations: [...observations], texts: [...texts], system });
        return 'stop';
      },
      describe: () => ({}),
    };
    const prompt = { examples: new WorkedExamples(games), system: 'Be brief. {environment}' };
    const options = collectOptions({ actor: { kind: 'player', player, prompt }, rollout: rolloutSettings, horizon: 2 });
    const [episode] = completed(await collectEpisodes(keys(1, 1), options));
    expect(seen[0]).toEqual({
      observations: [
        'signal amber',
        'signal red',
        'signal red\n\nNew game.\n\nsignal green',
        'New game.\n\nsignal red',
      ],
      texts: ['wait', 'stop', 'go'],
      system: 'Be brief. Answer the signal.',
    });
    expect(seen[1]!.texts).toEqual(['wait', 'stop', 'go', 'stop']);
    // They are no turns of the episode.
    expect(episode!.turns[0]).toMatchObject({ observation: 'signal red', text: 'stop' });
  });

  it('end in the role of an answer after a call, and refuse a text that ends an action', () => {
    const { encoder } = babbler();
    const answering: ConversationEncoder = {
      ...{ begin: (system, text) => encoder.begin(system, text), append: (text) => encoder.append(text) },
      ...{ encodeAction: (text) => encoder.encodeAction(text), decode: (ids) => encoder.decode(ids) },
      ...{ piece: (id) => encoder.piece(id), endIds: encoder.endIds, appendAnswer: () => [99] },
    };
    const calling = { ...games[0], calls: [0, 1] };
    const demonstration = { name: 'd', system: '', observations: ['signal red'], texts: ['stop'] };
    const layout = { maxTokens: 1000, actionTokens: 1, examples: new WorkedExamples([calling]) };
    const [row] = layOutDemonstration(demonstration, answering, layout)!.rows;
    expect(row!.record.tokens.filter((id) => id === 99)).toHaveLength(2);
    const ending = { ...answering, encodeAction: () => encoder.endIds };
    expect(() => new WorkedExamples(games).begin(ending, '')).toThrow('contains a token that ends an action');
  });
});
