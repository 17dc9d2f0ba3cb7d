import { describe, expect, it } from 'vitest';

import type { ActionFormat } from '../contracts/format.js';
import type { FunctionCall } from '../contracts/function-calls.js';
import type { ConversationEncoder } from '../contracts/policy.js';
import type { Tool } from '../contracts/tool.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { createRandom } from '../random/create-random.js';
import { type BatchRow, buildBatch } from './build-batch.js';
import { collectDemonstrations, type CollectDemonstrationsOptions } from './collect-demonstrations.js';
import { collectEpisodes } from './collect-episodes.js';
import { conversationText, type Demonstration, layOutDemonstration } from './demonstration.js';
import { PackedRows } from './packed-rows.js';
import { writeAction, writeDemonstration } from './write-demonstration.js';
import {
  babbler,
  collectOptions,
  endId,
  environmentPool,
  fluent,
  keys,
  modelActor,
  rolloutSettings,
  signalSplits,
} from './fixtures/collect.js';
import type { DemonstratedTurn } from './demonstrated-episode.js';
import { Signals, singleWord } from './fixtures/signals.js';
import { Toolbox } from './toolbox.js';

function options(changes: Partial<CollectDemonstrationsOptions> = {}): CollectDemonstrationsOptions {
  return {
    tasks: signalSplits().train,
    environments: environmentPool(),
    expert: 'oracle',
    count: 9,
    horizon: 6,
    random: createRandom(2),
    rollout: rolloutSettings,
    signal: new AbortController().signal,
    ...changes,
  };
}

describe('collectDemonstrations', () => {
  // Law 10: it receives only one split. Mutation: take the tasks from `tasks.draw`, so that some are repeated and some
  // are
  // missing.
  it('plays training tasks only, each as often as every other', async () => {
    const { episodes, success } = await collectDemonstrations(options({ count: 18 }));
    const names = episodes.map(({ task }) => task);
    expect(names.sort()).toEqual([...Array(9).keys()].flatMap((index) => [`train-${index}`, `train-${index}`]));
    expect(success).toBe(1);
  });

  it('keeps the games that a mediocre demonstrator loses, and plays a task differently each time', async () => {
    const { episodes, success } = await collectDemonstrations(
      options({ expert: 'demonstrator', count: 30, horizon: 3, tasks: signalSplits(1).train }),
    );
    expect(episodes).toHaveLength(30);
    expect(success).toBeGreaterThan(0.1);
    expect(success).toBeLessThan(0.9);
    expect(new Set(episodes.map(({ turns }) => turns.map(({ action }) => action).join())).size).toBeGreaterThan(3);
    const won = await collectDemonstrations(
      options({ expert: 'demonstrator', count: 30, horizon: 3, tasks: signalSplits(1).train, successOnly: true }),
    );
    expect(won.success).toBe(success);
    expect(won.episodes).toHaveLength(Math.round(30 * success));
  });

  // Mutation: number the tasks of `collectDemonstrations` from 0 instead of `first`.
  it('plays the same games in parts as at once', async () => {
    const game = { expert: 'demonstrator', horizon: 3 };
    const whole = await collectDemonstrations(options({ ...game, count: 30 }));
    const begun = await collectDemonstrations(options({ ...game, count: 11 }));
    const rest = await collectDemonstrations(options({ ...game, first: 11, count: 19 }));
    expect([...begun.episodes, ...rest.episodes]).toEqual(whole.episodes);
    expect(begun.played + rest.played).toBe(whole.played);
  });

  it('says so where there is no such expert, or where most episodes fail', async () => {
    await expect(collectDemonstrations(options({ expert: 'grandmaster' }))).rejects.toMatchObject({
      code: 'AG_NO_EXPERT',
      hint: 'It has: oracle, demonstrator.',
    });
    class Broken extends Signals {
      override reset(): string {
        throw new Error('no board');
      }
    }
    const environments = environmentPool(() => new Broken());
    await expect(collectDemonstrations(options({ environments }))).rejects.toMatchObject({
      code: 'AG_EPISODES_FAILED',
      message: expect.stringContaining('in reset: no board'),
    });
  });
});

describe('layOutDemonstration', () => {
  /** A policy's episode as a demonstration. */
  const asDemonstration = ({ task, turns, finalObservation }: CompletedEpisode): Demonstration => ({
    name: task,
    system: 'Answer the signal.',
    observations: [...turns.map(({ observation }) => observation), finalObservation],
    texts: turns.map(({ text }) => text),
  });

  // Laws 1 and 2. Mutation: give the end token mask 0 in `layOutDemonstration`.
  it('has the ids and the mask of a rollout of the same texts', async () => {
    const model = fluent();
    const actor = modelActor(model, { maxActionTokens: 5 });
    const all = await collectEpisodes(keys(5, 5), collectOptions({ actor }));
    // Only texts that encode to their own tokens: no unknown words, no forced end token.
    const faithful = all.filter(
      (episode): episode is CompletedEpisode =>
        episode.status === 'completed' &&
        episode.turns.length > 0 &&
        episode.turns.every(
          ({ text, sampled: [from, to] = [0, 0], cut }) =>
            !cut &&
            String(model.encoder.encodeAction(text)) === String(episode.sequences![0]!.tokens.slice(from, to - 1)),
        ),
    );
    expect(faithful.length).toBeGreaterThan(0);
    for (const episode of faithful) {
      const row = layOutDemonstration(asDemonstration(episode), model.encoder, { maxTokens: 1000, actionTokens: 1 })!
        .rows[0]!;
      const length = row.record.tokens.length;
      expect(row.record.tokens).toEqual(episode.sequences![0]!.tokens.slice(0, length));
      expect(row.record.mask).toEqual(episode.sequences![0]!.mask.slice(0, length));
      expect(row.turns.map(({ sampled }) => sampled)).toEqual(episode.turns.map(({ sampled }) => sampled));
      // Nothing is learned from the tokens after the last action.
      expect(episode.sequences![0]!.mask.slice(length)).not.toContain(1);
    }
    const batch = buildBatch(
      layOutDemonstration(asDemonstration(faithful[0]!), model.encoder, { maxTokens: 1000, actionTokens: 1 })!.rows,
      1,
    );
    expect(Math.max(...batch.turn)).toBe(faithful[0]!.turns.length - 1);
  });

  it('leaves out turns that do not fit, and the whole where none does', () => {
    const { encoder } = babbler();
    const demonstration = {
      name: 'd',
      system: '',
      observations: ['signal red', 'signal red'],
      texts: ['stop', 'stop'],
    };
    const turnsIn = (maxTokens: number) =>
      layOutDemonstration(demonstration, encoder, { maxTokens, actionTokens: 1 })?.rows[0]!.turns;
    const [whole] = layOutDemonstration(demonstration, encoder, { maxTokens: 100, actionTokens: 1 })!.rows as [
      BatchRow,
    ];
    expect(whole.turns).toHaveLength(2);
    const length = whole.record.tokens.length;
    expect(turnsIn(length)).toHaveLength(2);
    expect(turnsIn(length - 1)).toHaveLength(1);
    expect(turnsIn(5)).toBeUndefined();
  });

  it('refuses an action that holds an end token, and one that the format reads differently', () => {
    const { encoder } = babbler();
    const ending: ConversationEncoder = {
      begin: (system, observation) => encoder.begin(system, observation),
      append: (text) => encoder.append(text),
      encodeAction: (text) => encoder.encodeAction(text),
      decode: (ids) => encoder.decode(ids),
      piece: (id) => encoder.piece(id),
      endIds: [endId, encoder.encodeAction('stop')[0]!],
    };
    const demonstration = { name: 'd', system: '', observations: ['signal red'], texts: ['stop'] };
    expect(() => layOutDemonstration(demonstration, ending, { maxTokens: 100, actionTokens: 1 })).toThrow(
      'ends an action',
    );
    expect(writeAction('stop', singleWord)).toBe('stop');
    expect(() => writeAction('stop now', singleWord)).toThrow('reads the expert');
  });

  // Mutation: let `addContext` of `EpisodeTokens` push a mask of 1.
  it('learns nothing from context, which stays in the sequence', () => {
    const { encoder } = babbler();
    const plain = { name: 'd', system: '', observations: ['signal red', 'signal red'], texts: ['stop', 'stop'] };
    const layOut = (context: readonly number[]) =>
      layOutDemonstration({ ...plain, context: new Set(context) }, encoder, { maxTokens: 100, actionTokens: 1 })
        ?.rows[0];
    const [whole, row] = [layOut([])!, layOut([0])!];
    expect(row.record.tokens).toEqual(whole.record.tokens);
    expect(row.turns).toEqual([whole.turns[1]]);
    const [start] = whole.turns[1]!.sampled;
    expect(row.record.mask).toEqual(whole.record.mask.map((mask, index) => (index < start ? 0 : mask)));
    expect(layOut([0, 1])).toBeUndefined();
  });

  it('is the same after it was packed', () => {
    const { encoder } = babbler();
    const texts = ['stop', 'go', 'stop'];
    const demonstration = { name: 'd', task: 't', system: 'x', observations: texts, texts, context: new Set([1]) };
    const rows = new PackedRows();
    const row = layOutDemonstration(demonstration, encoder, { maxTokens: 100, actionTokens: 1 })!;
    rows.add(row);
    expect(rows).toHaveLength(1);
    expect(rows.at(0)).toEqual(row);
    expect(rows.at(1)).toBeUndefined();
  });

  it('is text for a tokenizer, from the system prompt to the last observation', () => {
    const demonstration = { name: 'd', system: 'rules', observations: ['one', 'two', 'won'], texts: ['a', 'b'] };
    expect(conversationText(demonstration)).toBe('rules\none\na\ntwo\nb\nwon');
  });
});

describe('writeDemonstration', () => {
  /** Actions in angle brackets; the text before them is a thought. */
  const bracketed: ActionFormat = {
    instructions: 'Write <action>.',
    parse(text) {
      const action = /<([^<>]+)>$/.exec(text)?.[1];
      return action === undefined ? { malformed: 'no brackets', observation: 'Write <action>.' } : { action };
    },
    render: (action) => `<${action}>`,
  };
  const roll: Tool = {
    instructions: 'Say roll.',
    example: 'roll',
    parse: (text) => (text === 'roll' ? { call: null } : undefined),
    begin: () => ({ run: () => ({ output: '6' }) }),
  };
  const tools = new Toolbox([{ name: 'dice', tool: roll }], { maxOutputCharacters: 100, milliseconds: 1000 });
  const policy = { format: bracketed, instructions: 'rules' };
  const write = (...turns: Omit<DemonstratedTurn, 'observation'>[]) =>
    writeDemonstration({ turns: turns.map((turn) => ({ observation: 'o', ...turn })) }, policy, 'the game');

  // Mutation: return `text` without `isWritten`.
  it('keeps a text in which the format finds the action, and writes the action otherwise', () => {
    const { texts, rendered } = write(
      { action: 'go', text: 'a thought <go>' },
      { action: 'go', text: '(go)' },
      { action: 'go', text: '<stop>' },
      { action: 'go' },
    );
    expect(texts).toEqual(['a thought <go>', '<go>', '<go>', '<go>']);
    expect(rendered).toBe(0);
  });

  it('takes a text without a known action as it is, or as the action, and counts that', () => {
    expect(write({ text: 'a thought <go>' }, { text: 'stop' })).toMatchObject({
      texts: ['a thought <go>', '<stop>'],
      rendered: 1,
    });
    expect(() => write({ text: '<<' })).toThrow('reads the expert');
  });

  it('learns nothing from what was no action', () => {
    const written = write(
      { text: 'well', malformed: 'no brackets' },
      { text: 'OK', isContext: true },
      { action: 'go' },
    );
    expect(written.texts).toEqual(['well', 'OK', '<go>']);
    expect(written.context).toEqual(new Set([0, 1]));
  });

  it('keeps calls of tools that the policy has, and refuses others', () => {
    const episode = { turns: [{ observation: 'o', text: 'roll', tools: ['dice'] }] };
    expect(writeDemonstration(episode, { ...policy, tools }, 'the game')).toMatchObject({
      texts: ['roll'],
      system: 'rules\n\nWrite <action>.\n\nSay roll.',
    });
    expect(() => writeDemonstration(episode, policy, 'the game')).toThrow('Turn 1 of the game calls `dice`');
  });

  const calling: ActionFormat = {
    ...bracketed,
    actionNames: ['act'],
    readCalls: (text) =>
      [...text.matchAll(/\[(\w+) (\w*)\]/g)].map(([, name = '', value = '']) => ({
        call: { name, arguments: { [name === 'act' ? 'action' : 'value']: value } },
      })),
    parse(text) {
      const action = /\[act (\w+)\]$/.exec(text)?.[1];
      return action === undefined ? { malformed: 'no call', observation: 'Call.' } : { action };
    },
    writeCall: ({ name, arguments: given }) => `[${name} ${(given['value'] ?? given['action']) as string}]`,
  };
  const dice = {
    description: 'Rolls.',
    parameters: {},
    read: () => ({ call: null }),
  } satisfies Tool['function'];
  const callable = new Toolbox([{ name: 'dice', tool: { ...roll, function: dice } }], tools.limits);
  const call = (name: string, given: FunctionCall['arguments'], text = '') => ({
    text,
    calls: [{ name, arguments: given }],
  });

  // Mutation: take the text of the message, which is empty beside a call.
  it('writes a call of the action or of a tool in the syntax of the format, behind its text', () => {
    const turns = [call('act', { action: 'go' }), call('dice', { value: 'x' }, 'I roll.')];
    const { texts } = writeDemonstration(
      { turns: turns.map((turn) => ({ observation: 'o', ...turn })) },
      { format: calling, instructions: 'rules', tools: callable },
      'the game',
    );
    expect(texts).toEqual(['[act go]', 'I roll.\n[dice x]']);
  });

  it('refuses a call that the format cannot write, or that is neither the action nor a tool', () => {
    expect(() => write(call('act', { action: 'go' }))).toThrow(
      'Turn 1 of the game calls the function `act`, which the action format of the recipe cannot write',
    );
    const own = { format: calling, instructions: 'rules', tools: callable };
    const one = (turn: object) => ({ turns: [{ observation: 'o', ...turn }] });
    for (const wrong of [call('guess', { value: 'x' }), call('act', { action: 7 }), call('dice', { other: 'x' })]) {
      expect(() => writeDemonstration(one(wrong), own, 'the game')).toThrow(
        'which is neither the action of the recipe',
      );
    }
  });

  it('has the rules of the task, or the system prompt of its source', () => {
    const turns = [{ observation: 'o', action: 'go' }];
    const systemOf = (episode: object) => writeDemonstration({ turns, ...episode }, policy, 'the game').system;
    expect(systemOf({})).toBe('rules\n\nWrite <action>.');
    expect(systemOf({ instructions: 'own' })).toBe('own\n\nWrite <action>.');
    expect(systemOf({ system: 'mine' })).toBe('mine');
  });
});
