// Episodes whose history is shortened, compared with prompts that are put together from texts and sampled ids by hand.
import { describe, expect, it } from 'vitest';

import type { ConversationEncoder, GeneratedTokens, GenerateRequest, Sampling } from '../contracts/policy.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import type { ModelActor } from './actor.js';
import { buildBatch, rowsOfEpisode } from './build-batch.js';
import { collectEpisodes } from './collect-episodes.js';
import { layOutDemonstration, numberedRows } from './demonstration.js';
import type { History } from './episode-tokens.js';
import { babbler, collectOptions, endId, fluent, keys, modelActor, rolloutSettings } from './fixtures/collect.js';
import { WorkedExamples } from './worked-examples.js';

/** Its contexts are whole prefixes, so that its log probabilities depend on everything that it reads. */
class Recording extends TabularPolicy {
  readonly calls: { request: GenerateRequest; answer: GeneratedTokens }[] = [];
  readonly released: string[] = [];

  override async generate(requests: readonly GenerateRequest[], sampling: Sampling): Promise<GeneratedTokens[]> {
    const copies = requests.map((request) => ({ ...request, tokens: [...request.tokens] }));
    const answers = await super.generate(requests, sampling);
    copies.forEach((request, index) => this.calls.push({ request, answer: answers[index]! }));
    return answers;
  }

  override release(sequences: readonly string[]): void {
    this.released.push(...sequences);
  }
}

const { encoder: plain } = babbler();

/** `wait` ends thoughts; the template writes `what` before the last action only, if it has a prompt. */
function dropping(promptIds: 0 | 1): ConversationEncoder {
  const prompt = plain.encodeAction('what').slice(0, promptIds);
  const end = plain.encodeAction('wait')[0]!;
  return {
    begin: (system, text) => [...plain.begin(system, text), ...prompt],
    append: (text) => [...plain.append(text), ...prompt],
    encodeAction: (text) => plain.encodeAction(text),
    decode: (ids) => plain.decode(ids),
    piece: (id) => plain.piece(id),
    endIds: plain.endIds,
    earlierActions: { promptIds, shown: (action) => action.slice(action.lastIndexOf(end) + 1) },
  };
}

function recording(encoder: ConversationEncoder): Recording {
  const model = new Recording({ encoder: plain, deviation: 1, seed: 3 });
  Object.defineProperty(model, 'encoder', { value: encoder });
  return model;
}

async function play(model: TabularPolicy, actor: Partial<ModelActor>, inFlight = 4): Promise<CompletedEpisode[]> {
  const options = collectOptions({
    actor: modelActor(model, actor),
    rollout: { ...rolloutSettings, inFlight },
    horizon: 7,
  });
  const episodes = await collectEpisodes(keys(4, 3), options);
  return episodes.filter((episode) => episode.status === 'completed');
}

const actionTokens = 3;

/** The prompt of every turn, and the one after the last action, put together anew each time. */
function promptsByHand(
  { turns, finalObservation }: CompletedEpisode,
  actions: readonly (readonly number[])[],
  encoder: ConversationEncoder,
  history: History,
  examples?: WorkedExamples,
): readonly (readonly number[])[] {
  const texts = [...turns.map(({ observation }) => observation), finalObservation];
  const { promptIds = 0, shown = (action: readonly number[]) => action } = encoder.earlierActions ?? {};
  const promptFrom = (from: number, last: number): readonly number[] => {
    const note = from === 1 ? '[1 turn is not shown.]' : `[${from} turns are not shown.]`;
    const first = from === 0 ? texts[0]! : `${texts[0]!}\n\n${note}\n\n${texts[from]!}`;
    let ids: readonly number[] =
      examples === undefined
        ? encoder.begin('Answer the signal.', first)
        : [...examples.begin(encoder, 'Answer the signal.'), ...encoder.append(examples.before(first))];
    for (let turn = from; turn < last; turn += 1) {
      ids = [...ids.slice(0, ids.length - promptIds), ...shown(actions[turn]!), ...encoder.append(texts[turn + 1]!)];
    }
    return ids;
  };
  let from = 0;
  return texts.map((_, last) => {
    if (history === 'full') return promptFrom(0, last);
    from = Math.max(from, last - (history.turns ?? Infinity));
    while (from < last && promptFrom(from, last).length + actionTokens + 1 > (history.tokens ?? Infinity)) from += 1;
    return promptFrom(from, last);
  });
}

const games = [{ task: 't', observations: ['signal green', ''], texts: ['go'], calls: [] }] as const;
const histories: readonly History[] = ['full', { turns: 1 }, { turns: 2 }, { tokens: 34 }, { turns: 2, tokens: 36 }];
const encoders = { keeps: plain, drops: dropping(0), 'drops and prompts': dropping(1) };
const cases = histories.flatMap((history) =>
  Object.entries(encoders).map(([name, encoder]) => [JSON.stringify(history), name, history, encoder] as const),
);

describe.each(cases)('law 1, history %s, a template that %s', (_, name, history, encoder) => {
  // Goes red when a window is cut one turn late, when an earlier action is encoded again, when its thoughts or prompts
  // stay, or when a sequence is reused for another window.
  it.each([undefined, new WorkedExamples(games)])(
    'every prompt is what is visible, and every record what was sampled',
    async (examples) => {
      const model = recording(encoder);
      const episodes = await play(model, { history, ...(examples && { prompt: { examples } }) });
      let sequences = 0;
      for (const { sequences: records = [], ...episode } of episodes) {
        const prefix = `1.${episode.group}.${episode.member}.${episode.retries}`;
        const own = model.calls.filter(
          ({ request: { sequence } }) => sequence === prefix || sequence.startsWith(`${prefix}.`),
        );
        expect(own).toHaveLength(episode.turns.length);
        const actions = own.map(({ answer }) => [...answer.tokens, ...(answer.ended ? [] : [endId])]);
        const prompts = promptsByHand(episode, actions, encoder, history, examples);
        const masks = records.map(({ mask }) => mask.map(() => 0));
        for (const [number, { request, answer }] of own.entries()) {
          const { sampled, sequence = 0 } = episode.turns[number]!;
          const [start, end] = sampled!;
          expect(request.tokens).toEqual(prompts[number]);
          expect(request.sequence).toBe(sequence === 0 ? prefix : `${prefix}.${sequence}`);
          const { logprobs, tokens } = records[sequence]!;
          expect(tokens.slice(0, end)).toEqual([...prompts[number]!, ...answer.tokens]);
          expect(logprobs.slice(start, end)).toEqual(answer.logprobs);
          masks[sequence]!.fill(1, start, end);
          if (number === 0) continue;
          // A sequence goes on exactly where the prompt continues what was read and sampled.
          const before = [...prompts[number - 1]!, ...actions[number - 1]!];
          const continues = before.every((id, place) => prompts[number]![place] === id) && start >= before.length;
          expect(sequence).toBe((episode.turns[number - 1]!.sequence ?? 0) + (continues ? 0 : 1));
        }
        expect(records.map(({ mask }) => mask)).toEqual(masks);
        // Law 4: what was cut ends with the prompt after its last action, and what ended with the action.
        const last = episode.terminated ? [...prompts.at(-2)!, ...actions.at(-1)!] : prompts.at(-1)!;
        if (episode.truncated !== 'tokens') expect(records.at(-1)!.tokens).toEqual(last);
        expect(new Set(model.released)).toContain(prefix);
        for (const place of records.keys())
          expect(model.released).toContain(place === 0 ? prefix : `${prefix}.${place}`);
        sequences += records.length;
      }
      expect(sequences > episodes.length).toBe(history !== 'full' || name !== 'keeps');
    },
  );
});

describe.each(histories.map((history) => [JSON.stringify(history), history] as const))('history %s', (_, history) => {
  it('training computes the log probabilities that were recorded, and rewards stand on last sampled tokens', async () => {
    const model = recording(dropping(1));
    const episodes = await play(model, { history });
    const batch = buildBatch(episodes.flatMap(rowsOfEpisode), 1);
    const trained = await model.logprobs(batch);
    batch.mask.forEach((mask, index) => {
      if (mask === 1) expect(Math.abs(trained[index]! - batch.logprobs[index]!)).toBeLessThan(1e-12);
    });
    const turns = episodes.flatMap((episode, number) => episode.turns.map((turn) => ({ ...turn, number })));
    let row = -1;
    for (const [place, { number, reward, sampled, sequence = 0 }] of turns.entries()) {
      const before = turns[place - 1];
      if (before?.number !== number || (before.sequence ?? 0) !== sequence) {
        row += 1;
        while (
          batch.episode[row] !== number ||
          !batch.mask.slice(row * batch.width, (row + 1) * batch.width).includes(1)
        )
          row += 1;
      }
      const [start, end] = sampled!;
      expect(batch.rewards[row * batch.width + end - 1]).toBe(reward);
      expect(new Set(batch.turn.slice(row * batch.width + start, row * batch.width + end))).toEqual(
        new Set([episodes[number]!.turns.findIndex((turn) => turn.sampled === sampled)]),
      );
    }
    expect(batch.rewards.reduce((sum, reward) => sum + reward, 0)).toBeCloseTo(
      episodes.reduce((sum, one) => sum + one.return, 0),
      9,
    );
    expect(Array.from(batch.truncated)).toEqual(
      Array.from(batch.episode, (number) => Number(!episodes[number]!.terminated)),
    );
  });

  // Law 7.
  it('gives the same episodes however many are in flight', async () => {
    const all = await Promise.all([1, 3, 100].map((inFlight) => play(recording(plain), { history }, inFlight)));
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
  });

  // Goes red when demonstrations are cut at other turns than episodes.
  it('a demonstration of an episode has its sequences', async () => {
    const model = fluent();
    const { encoder } = model;
    const episodes = await play(model, { history });
    let compared = 0;
    for (const { sequences = [], turns, finalObservation } of episodes) {
      const written = turns.map(({ text }) => [...encoder.encodeAction(text), endId]);
      const isFaithful = turns.every(
        ({ cut, sampled, sequence = 0 }, index) =>
          !cut && String(sequences[sequence]!.tokens.slice(...sampled!)) === String(written[index]),
      );
      if (!isFaithful) continue;
      const observations = [...turns.map(({ observation }) => observation), finalObservation];
      const demonstration = {
        name: 'd',
        system: 'Answer the signal.',
        observations,
        texts: turns.map(({ text }) => text),
      };
      const laid = layOutDemonstration(demonstration, encoder, { history, actionTokens, maxTokens: 1000 })!;
      const batch = buildBatch(numberedRows([laid]), 1);
      const played = sequences.filter(({ mask }) => mask.includes(1));
      expect(batch.rows).toBe(played.length);
      for (const [row, { record }] of laid.rows.entries()) {
        const last = played[row]!.mask.lastIndexOf(1) + 1;
        expect(record.tokens.slice(0, last)).toEqual(played[row]!.tokens.slice(0, last));
        expect(record.mask.slice(0, last)).toEqual(played[row]!.mask.slice(0, last));
      }
      compared += turns.length;
    }
    expect(compared).toBeGreaterThan(10);
  });
});

describe('limits', () => {
  it('a window that no episode outgrows changes nothing', async () => {
    const full = await play(recording(plain), {});
    for (const history of ['full', { turns: 7 }, { tokens: 1000 }] as const)
      expect(await play(recording(plain), { history })).toEqual(full);
  });

  // Goes red when the tokens of a window count again.
  it('of an episode count each observation and action once, whatever the window', async () => {
    const sampled = { temperature: 1, topP: 1, topK: 0 };
    for (const maxEpisodeTokens of [24, 40, 60]) {
      const lengths = await Promise.all(
        (['full', { turns: 1 }] as const).map(async (history) => {
          const model = new TabularPolicy({ encoder: plain, contextLength: 1, deviation: 1, seed: 3 });
          const episodes = await play(model, { history, maxEpisodeTokens, sampling: sampled });
          expect(episodes.some(({ truncated }) => truncated === 'tokens')).toBe(true);
          return episodes.map(({ turns, truncated }) => [turns.length, truncated]);
        }),
      );
      // This policy sees one token, so it plays the same with any history.
      expect(lengths[1]).toEqual(lengths[0]);
    }
  });

  it('of a window end an episode whose observation alone does not fit, and no sequence is longer', async () => {
    const tokens = 16;
    const episodes = await play(recording(plain), { history: { tokens } });
    const cut = episodes.filter(({ truncated }) => truncated === 'tokens');
    expect(cut.length).toBeGreaterThan(0);
    for (const { sequences = [] } of episodes)
      for (const one of sequences) expect(one.tokens.length).toBeLessThanOrEqual(tokens);
  });
});
