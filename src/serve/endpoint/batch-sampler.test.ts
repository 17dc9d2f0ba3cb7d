import { setMaxListeners } from 'node:events';

import { describe, expect, it } from 'vitest';

import type { GeneratedTokens, GenerateRequest, PolicyCapabilities, Sampling } from '../../contracts/policy.js';
import { createRandom } from '../../random/create-random.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { BatchSampler, type TextRequest } from './batch-sampler.js';

const texts = ['a door', 'a wall', 'open it', 'walk round'];

/** A model that fails as soon as a call has this many tokens of the sequence `poison`. */
class Fragile extends TabularPolicy {
  poisonAfter = Infinity;
  isMixed = true;
  readonly calls: string[][] = [];

  override get capabilities(): PolicyCapabilities {
    const { sampler, ...others } = super.capabilities;
    return { ...others, sampler: { ...sampler, mixed: this.isMixed } };
  }

  override async generate(requests: readonly GenerateRequest[], sampling: Sampling): Promise<GeneratedTokens[]> {
    this.calls.push(requests.map(({ sequence }) => sequence));
    await new Promise(setImmediate);
    if (requests.some(({ sequence, tokens }) => sequence === 'poison' && tokens.length >= this.poisonAfter)) {
      throw new Error('the graph failed');
    }
    return super.generate(requests, sampling);
  }
}

const create = () => new Fragile({ texts, contextLength: 3, deviation: 1, seed: 4 });
const sampling = { temperature: 1, topP: 1, topK: 0 };

function request(model: TabularPolicy, sequence: string, changes: Partial<TextRequest> = {}): TextRequest {
  const tokens = model.encoder.begin('', 'a door');
  const own = { tokens, sequence, sampling, client: sequence, endIds: [], maxTokens: 60 };
  return { ...own, draws: () => createRandom(1).stream(sequence), signal: new AbortController().signal, ...changes };
}

describe('BatchSampler', () => {
  it.each([0, 40])(
    'fails only the text that is the cause, after %i tokens; the others are what they are alone',
    async (after) => {
      const names = Array.from({ length: 11 }, (_, index) => (index === 5 ? 'poison' : `text ${index}`));
      const model = create();
      model.poisonAfter = after;
      const sampler = new BatchSampler(model);
      const shown = new Map<string, number[]>(names.map((name) => [name, []]));
      const take = (name: string) => (tokens: readonly number[]) => {
        shown.get(name)!.push(...tokens);
        return true;
      };
      const all = await Promise.allSettled(
        names.map((name) => sampler.write(request(model, name, { take: take(name) }))),
      );
      for (const [index, name] of names.entries()) {
        if (name === 'poison') {
          expect(all[index]).toMatchObject({ status: 'rejected', reason: new Error('the graph failed') });
          continue;
        }
        const alone = create();
        const expected = await new BatchSampler(alone).write(request(alone, name));
        expect(all[index]).toEqual({ status: 'fulfilled', value: expected });
        // Nothing is shown twice when a text is played again.
        expect(shown.get(name)).toEqual(expected.tokens);
      }
      expect(sampler.open).toBe(0);
      // Halves of halves, not each alone.
      expect(model.calls.length).toBeLessThan(30);
    },
  );

  it('fails only the text whose reader throws', async () => {
    const model = create();
    const sampler = new BatchSampler(model);
    const take = (): boolean => {
      throw new RangeError('too many arguments');
    };
    const [bad, good] = await Promise.allSettled([
      sampler.write(request(model, 'bad', { take })),
      sampler.write(request(model, 'good')),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: new RangeError('too many arguments') });
    expect(good.status).toBe('fulfilled');
  });

  it('lets a text rest while its reader is slow, and the others go on', async () => {
    const model = create();
    const sampler = new BatchSampler(model);
    let resume = (_: boolean): void => undefined;
    let parts = 0;
    const take = (): boolean | Promise<boolean> => {
      parts += 1;
      return parts === 1 ? new Promise<boolean>((resolve) => (resume = resolve)) : true;
    };
    const slow = sampler.write(request(model, 'slow', { take }));
    const other = await sampler.write(request(model, 'other'));
    expect(other.tokens).toHaveLength(60);
    expect(model.calls.filter((names) => names.includes('slow'))).toHaveLength(1);
    resume(true);
    const expected = await new BatchSampler(model).write(request(create(), 'slow'));
    expect(await slow).toEqual(expected);
  });

  it('ends a resting text when its client is gone', async () => {
    const model = create();
    const sampler = new BatchSampler(model);
    const abort = new AbortController();
    const take = () => new Promise<boolean>(() => setImmediate(() => abort.abort(new Error('gone'))));
    await expect(sampler.write(request(model, 'slow', { take, signal: abort.signal }))).rejects.toThrow('gone');
    await sampler.write(request(model, 'other'));
    expect(sampler.open).toBe(0);
  });

  it('writes texts of many temperatures in one call if the model can, and else the others wait for few of them', async () => {
    for (const mixed of [true, false]) {
      const model = create();
      model.isMixed = mixed;
      const sampler = new BatchSampler(model);
      const abort = new AbortController();
      setMaxListeners(0, abort.signal);
      const own = { client: 'greedy', signal: abort.signal, maxTokens: 3000 };
      const greedy = Array.from({ length: 64 }, (_, index) =>
        sampler.write(
          request(model, `greedy ${index}`, { ...own, sampling: { ...sampling, temperature: 1 + index / 64 } }),
        ),
      );
      const ended = Promise.allSettled(greedy);
      await new Promise(setImmediate);
      const before = model.calls.length;
      const modest = await sampler.write(request(model, 'modest', { sampling: { ...sampling, temperature: 0.5 } }));
      // Four rounds, and the one that had begun.
      expect(model.calls.length - before).toBeLessThanOrEqual(mixed ? 5 : 10);
      const alone = create();
      const expected = new BatchSampler(alone).write(
        request(alone, 'modest', { sampling: { ...sampling, temperature: 0.5 } }),
      );
      expect(modest).toEqual(await expected);
      abort.abort(new Error('enough'));
      expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
    }
  });

  it('gives all texts of a client turns, however many ways they are sampled in', async () => {
    const model = create();
    model.isMixed = false;
    const sampler = new BatchSampler(model);
    const all = Array.from({ length: 9 }, (_, index) =>
      sampler.write(
        request(model, `text ${index}`, { client: 'one', sampling: { ...sampling, temperature: 1 + (index % 3) } }),
      ),
    );
    await Promise.all(all);
    expect(model.calls.slice(0, 3).map(([first]) => first)).toEqual(['text 0', 'text 1', 'text 2']);
    expect(model.calls).toHaveLength(12);
  });

  it('shares its rounds between clients', async () => {
    const model = create();
    const sampler = new BatchSampler(model);
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const own = { client: 'greedy', signal: abort.signal, maxTokens: 3000 };
    const greedy = Array.from({ length: 400 }, (_, index) => sampler.write(request(model, `greedy ${index}`, own)));
    const ended = Promise.allSettled(greedy);
    await new Promise(setImmediate);
    expect((await sampler.write(request(model, 'modest'))).tokens).toHaveLength(60);
    expect(model.calls.length).toBeLessThan(10);
    abort.abort(new Error('enough'));
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true);
  });
});
