import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { createRandom } from '../../random/create-random.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import { RequestReader } from './request-reader.js';

const entry = fileURLToPath(new URL('./fixtures/encoder-plugin.js', import.meta.url));
const readers: RequestReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.dispose();
});

/** A policy of which threads open the encoder of the fixture. */
class Opened extends TabularPolicy {
  readonly encoderSource = { folder: '/nowhere', settings: {} };
}

function create(milliseconds = 300, model = new Opened({ texts: ['a door'], contextLength: 1 })): RequestReader {
  const limits = { maxActionTokens: 6, maxTokens: 2000 };
  const endpoint = new PolicyEndpoint({ model, name: 'base', ...limits, random: createRandom(1) });
  const limitsOfThreads = { milliseconds, megabytes: 64 };
  const reader = new RequestReader({
    endpoints: () => [endpoint],
    data: { entry, policy: 'fixture' },
    ...limitsOfThreads,
  });
  readers.push(reader);
  return reader;
}

/** A body that is long enough for a thread. */
const long = (prompt: string, changes: object = {}) =>
  new Uint8Array(Buffer.from(JSON.stringify({ prompt: prompt.padEnd(20_000, '.'), ...changes })));

describe('RequestReader', () => {
  it('reads short bodies here, and long ones in a thread', async () => {
    const reader = create();
    const short = new Uint8Array(Buffer.from('{"prompt": "a door"}'));
    const own = await reader.read('completion', short, 'me');
    expect(own.prompts[0]).not.toEqual([1, 0, 4]);
    expect(await reader.read('completion', long('abc', { max_tokens: 5 }), 'me')).toMatchObject({
      ...{ kind: 'completion', model: 'base', prompts: [[1, 2, 3]] },
      request: { max_tokens: 5, temperature: 1 },
    });
    const messages = [{ role: 'user', content: 'xyz'.padEnd(20_000, '.') }];
    const chat = await reader.read('chat', new Uint8Array(Buffer.from(JSON.stringify({ messages }))), 'me');
    expect(chat).toMatchObject({ kind: 'chat', begin: [0, 1, 2], turns: [], calls: false });
  });

  it('refuses in a thread as it refuses here', async () => {
    const reader = create();
    const refused = { status: 400, details: { param: 'temperature' } };
    await expect(reader.read('completion', long('a', { temperature: 1e-40 }), 'me')).rejects.toMatchObject(refused);
    await expect(reader.read('completion', long('a', { model: 'b' }), 'me')).rejects.toMatchObject({ status: 404 });
    await expect(reader.read('completion', long('x'.repeat(3_000_000)), 'me')).rejects.toMatchObject({
      details: { code: 'context_length_exceeded' },
    });
  });

  it.each([
    ['takes too long', 'hang', 300, 'take longer than'],
    ['needs too much memory', 'heap', 60_000, 'need too much memory'],
  ])('ends a thread that %s: its request fails, others are read', async (_, word, milliseconds, why) => {
    const reader = create(milliseconds);
    const bad = reader.read('completion', long(word), 'attacker').then(String, (error: Error) => error);
    const queued = [1, 2, 3].map(() => reader.read('completion', long('abc'), 'me'));
    expect((await Promise.all(queued)).map(({ prompts }) => prompts[0])).toEqual(Array(3).fill([1, 2, 3]));
    expect(await bad).toMatchObject({ status: 400, message: expect.stringContaining(why) as string });
    expect((await reader.read('completion', long('abc'), 'attacker')).prompts[0]).toEqual([1, 2, 3]);
  });

  it('ends a short text that takes too long, and from then on reads all in threads', async () => {
    const model = new Opened({ texts: ['a door'], contextLength: 1 });
    const here = vi.spyOn(model.encoder, 'encodeAction').mockImplementation((text) => {
      while (text.includes('hang'));
      return [7];
    });
    const reader = create(10_000, model);
    const short = (prompt: string) => new Uint8Array(Buffer.from(JSON.stringify({ prompt })));
    const refused = { status: 400, message: expect.stringContaining('longer than 250 ms') as string };
    expect((await reader.read('completion', short('abc'), 'me')).prompts).toEqual([[7]]);
    await expect(reader.read('completion', short('hang'), 'attacker')).rejects.toMatchObject(refused);
    here.mockClear();
    const bad = ['attacker', 'another'].flatMap((client) =>
      [1, 2].map(() => reader.read('completion', short('hang'), client).then(String, (error: unknown) => error)),
    );
    expect((await reader.read('completion', short('abc'), 'me')).prompts).toEqual([[1, 2, 3]]);
    for (const error of await Promise.all(bad)) expect(error).toMatchObject(refused);
    expect(here).not.toHaveBeenCalled();
  });

  it('lets clients take turns', async () => {
    const reader = create();
    const order: string[] = [];
    const read = (client: string, text: string) =>
      reader
        .read('completion', long(text), client)
        .catch(() => undefined)
        .then(() => order.push(client));
    const attackers = ['one', 'two'].flatMap((client) => [1, 2, 3].map(() => read(client, 'hang')));
    await Promise.all([...attackers, read('me', 'abc')]);
    // The first of each was there before.
    expect(order.slice(0, 3).toSorted()).toEqual(['me', 'one', 'two']);
  });

  it('gives a client one thread at a time', async () => {
    const reader = create();
    const order: string[] = [];
    const read = (client: string, text: string) =>
      reader.read('completion', long(text), client).then(
        () => order.push(client),
        () => order.push(client),
      );
    await Promise.all([
      read('attacker', 'hang'),
      read('attacker', 'hang'),
      read('attacker', 'hang'),
      read('me', 'abc'),
    ]);
    expect(order[0]).toBe('me');
  });
});
