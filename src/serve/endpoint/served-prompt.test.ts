import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import type { EncodedChat } from './encode-request.js';
import { createRandom } from '../../random/create-random.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import { RequestReader } from './request-reader.js';
import { servedPrompt } from './served-prompt.js';

const texts = ['You are a guide.', 'Be brief.', 'a door', 'a wall', 'open it', 'walk round', 'New game.'];
const kept = {
  system: 'You are a guide.',
  games: [{ task: 't', observations: ['a wall', ''], texts: ['walk round'], calls: [] }],
};
const model = new TabularPolicy({ texts, contextLength: 2 });
const { encoder } = model;

const bytes = (messages: readonly object[]) => new Uint8Array(Buffer.from(JSON.stringify({ messages })));

async function read(...messages: readonly object[]): Promise<EncodedChat> {
  const limits = { maxActionTokens: 6, maxTokens: 200 };
  const options = { model, name: 'guide', ...limits, random: createRandom(1), prompt: servedPrompt(kept) };
  const endpoint = new PolicyEndpoint(options);
  return new RequestReader({ endpoints: () => [endpoint] }).read('chat', bytes(messages), 'me');
}

const beginning = (system: string) => [
  ...encoder.begin(system, 'a wall'),
  ...encoder.encodeAction('walk round'),
  encoder.endIds[0],
  ...encoder.append('New game.\n\na door'),
];

// Mutations: leave the games out; put the run's system text before that of the client.
it('begins conversations with the system text and the games of the run', async () => {
  const door = { role: 'user', content: 'a door' };
  expect((await read(door)).begin).toEqual(beginning('You are a guide.'));
  expect((await read({ role: 'system', content: 'Be brief.' }, door)).begin).toEqual(beginning('Be brief.'));
  const later = await read(door, { role: 'assistant', content: 'open it' }, { role: 'user', content: 'a wall' });
  expect(later.begin).toEqual(beginning('You are a guide.'));
  expect(later.turns).toMatchObject([
    { answer: encoder.encodeAction('open it'), observation: encoder.append('a wall') },
  ]);
});

// Mutation: do not hand the prompt to threads.
it('begins long conversations alike, which a thread reads', async () => {
  class Opened extends TabularPolicy {
    readonly encoderSource = { folder: '/nowhere', settings: {} };
  }
  const opened = new Opened({ texts, contextLength: 1 });
  const options = { model: opened, name: 'guide', maxActionTokens: 6, maxTokens: 2000, random: createRandom(1) };
  const entry = fileURLToPath(new URL('./fixtures/encoder-plugin.js', import.meta.url));
  const long = [{ role: 'user', content: 'xyz'.padEnd(20_000, '.') }];
  const begins: (readonly number[])[] = [];
  const games = kept.games.map((game) => ({ ...game, texts: ['go'] }));
  for (const prompt of [undefined, servedPrompt({ ...kept, games })]) {
    const endpoint = new PolicyEndpoint({ ...options, ...(prompt && { prompt }) });
    const reader = new RequestReader({ endpoints: () => [endpoint], data: { entry, policy: 'fixture' } });
    begins.push((await reader.read('chat', bytes(long), 'me')).begin);
    await reader.dispose();
  }
  expect(begins[1]!.length).toBeGreaterThan(begins[0]!.length);
});
