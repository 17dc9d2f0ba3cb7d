import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ConversationEncoder } from '../contracts/policy.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { createRandom } from '../random/create-random.js';
import { buildBatch } from './build-batch.js';
import { collectDemonstrations, type CollectDemonstrationsOptions } from './collect-demonstrations.js';
import { collectEpisodes } from './collect-episodes.js';
import { conversationText, type Demonstration, layOutDemonstration, writeAction } from './demonstration.js';
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
import { Signals, singleWord } from './fixtures/signals.js';
import { readDemonstrations } from './read-demonstrations.js';

function options(changes: Partial<CollectDemonstrationsOptions> = {}): CollectDemonstrationsOptions {
  return {
    tasks: signalSplits().train,
    environments: environmentPool(),
    expert: 'oracle',
    count: 9,
    format: singleWord,
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
    const { demonstrations, success } = await collectDemonstrations(options({ count: 18 }));
    const names = demonstrations.map(({ name }) => name);
    expect(names.sort()).toEqual([...Array(9).keys()].flatMap((index) => [`train-${index}`, `train-${index}`]));
    expect(success).toBe(1);
  });

  it('keeps the games that a mediocre demonstrator loses, and plays a task differently each time', async () => {
    const { demonstrations, success } = await collectDemonstrations(
      options({ expert: 'demonstrator', count: 30, horizon: 3, tasks: signalSplits(1).train }),
    );
    expect(demonstrations).toHaveLength(30);
    expect(success).toBeGreaterThan(0.1);
    expect(success).toBeLessThan(0.9);
    expect(new Set(demonstrations.map(({ texts }) => texts.join())).size).toBeGreaterThan(3);
    const won = await collectDemonstrations(
      options({ expert: 'demonstrator', count: 30, horizon: 3, tasks: signalSplits(1).train, successOnly: true }),
    );
    expect(won.success).toBe(success);
    expect(won.demonstrations).toHaveLength(Math.round(30 * success));
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
            !cut && String(model.encoder.encodeAction(text)) === String(episode.record!.tokens.slice(from, to - 1)),
        ),
    );
    expect(faithful.length).toBeGreaterThan(0);
    for (const episode of faithful) {
      const row = layOutDemonstration(asDemonstration(episode), model.encoder, 1000)!;
      const length = row.record.tokens.length;
      expect(row.record.tokens).toEqual(episode.record!.tokens.slice(0, length));
      expect(row.record.mask).toEqual(episode.record!.mask.slice(0, length));
      expect(row.turns.map(({ sampled }) => sampled)).toEqual(episode.turns.map(({ sampled }) => sampled));
      // Nothing is learned from the tokens after the last action.
      expect(episode.record!.mask.slice(length)).not.toContain(1);
    }
    const batch = buildBatch([layOutDemonstration(asDemonstration(faithful[0]!), model.encoder, 1000)!], 1);
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
    const whole = layOutDemonstration(demonstration, encoder, 100)!;
    expect(whole.turns).toHaveLength(2);
    const length = whole.record.tokens.length;
    expect(layOutDemonstration(demonstration, encoder, length)!.turns).toHaveLength(2);
    expect(layOutDemonstration(demonstration, encoder, length - 1)!.turns).toHaveLength(1);
    expect(layOutDemonstration(demonstration, encoder, 5)).toBeUndefined();
  });

  it('refuses an action that holds an end token, and one that the format reads differently', () => {
    const { encoder } = babbler();
    const ending: ConversationEncoder = {
      begin: (...texts) => encoder.begin(...texts),
      append: (text) => encoder.append(text),
      encodeAction: (text) => encoder.encodeAction(text),
      decode: (ids) => encoder.decode(ids),
      piece: (id) => encoder.piece(id),
      endIds: [endId, encoder.encodeAction('stop')[0]!],
    };
    const demonstration = { name: 'd', system: '', observations: ['signal red'], texts: ['stop'] };
    expect(() => layOutDemonstration(demonstration, ending, 100)).toThrow('ends an action');
    expect(writeAction('stop', singleWord)).toBe('stop');
    expect(() => writeAction('stop now', singleWord)).toThrow('reads the expert');
  });

  it('is text for a tokenizer, from the system prompt to the last observation', () => {
    const demonstration = { name: 'd', system: 'rules', observations: ['one', 'two', 'won'], texts: ['a', 'b'] };
    expect(conversationText(demonstration)).toBe('rules\none\na\ntwo\nb\nwon');
  });
});

describe('readDemonstrations', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'agentgym-demonstrations-'))));
  afterAll(() => rm(folder, { recursive: true }));

  async function read(...lines: string[]): Promise<Demonstration[]> {
    const file = join(folder, 'demonstrations.jsonl');
    await writeFile(file, lines.join('\n'));
    return readDemonstrations({ file, system: 'rules', splits: signalSplits() });
  }
  const good = JSON.stringify({ task: 'train-1', observations: ['a', 'b'], texts: ['x', 'y'] });

  it('reads an episode a line', async () => {
    const own = JSON.stringify({ system: 'my rules', observations: ['a', 'end'], texts: ['x'], note: 'ignored' });
    const [first, second] = await read(good, '', own);
    expect(first).toMatchObject({ system: 'rules', observations: ['a', 'b'], texts: ['x', 'y'] });
    expect(second).toMatchObject({ system: 'my rules', observations: ['a', 'end'] });
    expect(second!.name).toMatch(/demonstrations\.jsonl:3$/);
  });

  it.each([
    ['{"observations": ["a"], "texts": ["x"]', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['{"observations": ["a"]}', '"texts" is not a list of strings'],
    ['{"observations": ["a", 1], "texts": ["x"]}', '"observations" is not a list of strings'],
    ['{"observations": ["a", "b", "c"], "texts": ["x"]}', 'it has 3 observations for 1 texts'],
    ['{"task": 1, "observations": ["a"], "texts": ["x"]}', '"task" is not a string'],
    // Law 10. Mutation: leave the test split out of `heldOut`.
    [
      '{"task": "test-3", "observations": ["a"], "texts": ["x"]}',
      'its task "test-3" is in the validation or test split',
    ],
    ['{"task": "validation-0", "observations": ["a"], "texts": ["x"]}', 'its task "validation-0" is in the'],
  ])('refuses %s with its line', async (line, complaint) => {
    await expect(read(good, '', line)).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      line: 3,
      message: expect.stringContaining(complaint),
    });
  });

  it('refuses a file that is empty or not there', async () => {
    await expect(read('')).rejects.toMatchObject({ code: 'AG_DEMONSTRATION' });
    const missing = readDemonstrations({ file: join(folder, 'none'), system: '', splits: signalSplits() });
    await expect(missing).rejects.toMatchObject({ code: 'AG_DEMONSTRATION', file: join(folder, 'none') });
  });
});
