import { get } from 'node:http';

import { afterEach, describe, expect, it, vi } from 'vitest';

import type { GeneratedTokens, GenerateRequest, Sampling } from '../../contracts/policy.js';
import { createRandom } from '../../random/create-random.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import { type PolicyServer, servePolicy } from './serve-policy.js';

const texts = ['You are a guide.', 'a door', 'a wall', 'open it', 'walk round'];
const servers: PolicyServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0);
});

/** A policy that writes down its calls and which sequences it was told to forget. */
class Watched extends TabularPolicy {
  readonly calls: { readonly requests: readonly GenerateRequest[]; readonly sampling: Sampling }[] = [];
  readonly released: string[] = [];
  milliseconds = 0;

  override async generate(requests: readonly GenerateRequest[], sampling: Sampling): Promise<GeneratedTokens[]> {
    this.calls.push({ requests, sampling });
    await new Promise((resolve) => setTimeout(resolve, this.milliseconds));
    return super.generate(requests, sampling);
  }

  override release(sequences: readonly string[]): void {
    this.released.push(...sequences);
    super.release(sequences);
  }
}

async function serve({
  key,
  maxActionTokens = 6,
  maxTokens = 200,
}: { key?: string; maxActionTokens?: number; maxTokens?: number } = {}) {
  const model = new Watched({ texts, contextLength: 3, deviation: 1, seed: 4 });
  const endpoint = new PolicyEndpoint({ model, name: 'guide', maxActionTokens, maxTokens, random: createRandom(1) });
  const server = await servePolicy({ endpoint, host: '127.0.0.1', port: 0, ...(key !== undefined && { key }) });
  servers.push(server);
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body: text, headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const chat = async (body: object) => {
    const { status, text } = await post('/chat/completions', body);
    return { status, ...(JSON.parse(text) as Chat) };
  };
  return { model, server, post, chat };
}

interface Chat {
  readonly choices: {
    readonly message: { readonly content: string };
    readonly finish_reason: string;
    readonly token_ids: number[];
    readonly logprobs: { readonly content: { readonly token: string; readonly logprob: number }[] };
  }[];
  readonly usage: object;
  readonly prompt_token_ids: number[];
  readonly error: { readonly message: string; readonly code: string | null };
}

const opening = [
  { role: 'system', content: 'You are a guide.' },
  { role: 'user', content: 'a door' },
];
const details = { logprobs: true, return_token_ids: true };

describe('servePolicy', () => {
  it('answers with the text, the ids and the log probabilities of the model', async () => {
    const { chat, model } = await serve();
    const answer = await chat({ messages: opening, temperature: 0, ...details });
    const [choice] = answer.choices;
    expect(answer.prompt_token_ids).toEqual(model.encoder.begin('You are a guide.', 'a door'));
    const [{ requests, sampling }] = model.calls as [(typeof model.calls)[0]];
    expect(sampling).toEqual({ temperature: 0, topP: 1, topK: 0, exact: true });
    const [expected] = await new TabularPolicy({ texts, contextLength: 3, deviation: 1, seed: 4 }).generate(
      requests,
      sampling,
    );
    expect(choice!.token_ids).toEqual(expected!.tokens);
    expect(choice!.logprobs.content.map(({ logprob }) => logprob)).toEqual(expected!.logprobs);
    expect(choice!.message.content).toBe(model.encoder.decode(expected!.tokens));
    expect(choice!.finish_reason).toBe(expected!.ended ? 'stop' : 'length');
    const [prompt, written] = [answer.prompt_token_ids.length, expected!.tokens.length];
    expect(answer.usage).toEqual({ prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written });
  });

  // Goes red when an answer is encoded again, or when a cut answer gets no end token.
  it('continues a conversation with the ids that were sampled', async () => {
    const { chat, model } = await serve({ maxActionTokens: 3 });
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const first = await chat({ messages: opening, seed, ...details });
      const [{ finish_reason: reason, message, token_ids: ids }] = first.choices as [Chat['choices'][0]];
      const messages = [
        ...opening,
        { role: 'assistant', content: message.content },
        { role: 'user', content: 'a wall' },
      ];
      const second = await chat({ messages, seed, ...details });
      const end = reason === 'length' ? model.encoder.endIds : [];
      expect(second.prompt_token_ids).toEqual([
        ...first.prompt_token_ids,
        ...ids,
        ...end,
        ...model.encoder.append('a wall'),
      ]);
      const names = model.calls.slice(-2).map(({ requests }) => requests[0]!.sequence);
      expect(names[0]).toBe(names[1]);
    }
    // A conversation that it did not write is encoded.
    const foreign = [...opening, { role: 'assistant', content: 'open it' }, { role: 'user', content: 'a wall' }];
    const { prompt_token_ids: encoded } = await chat({ messages: foreign, ...details });
    const answer = [...model.encoder.encodeAction('open it'), ...model.encoder.endIds];
    expect(encoded).toEqual([
      ...model.encoder.begin('You are a guide.', 'a door'),
      ...answer,
      ...model.encoder.append('a wall'),
    ]);
  });

  it('answers many requests at a time, each as it would be alone', async () => {
    const { chat, model } = await serve({ maxActionTokens: 40 });
    const ask = (seed: number) => chat({ messages: opening, seed, ...details });
    // Long enough for all to arrive on a busy machine.
    model.milliseconds = 200;
    const together = await Promise.all(Array.from({ length: 32 }, (_, seed) => ask(seed)));
    expect(Math.max(...model.calls.map(({ requests }) => requests.length))).toBeGreaterThan(8);
    // A text goes on by some tokens, so that others can join.
    expect(Math.max(...model.calls.flatMap(({ requests }) => requests.map(({ maxTokens }) => maxTokens)))).toBeLessThan(
      40,
    );
    model.milliseconds = 0;
    for (const [seed, answer] of together.entries()) {
      const alone = await ask(seed);
      expect(alone.choices[0]!.token_ids).toEqual(answer.choices[0]!.token_ids);
    }
    expect(new Set(together.map(({ choices }) => choices[0]!.message.content)).size).toBeGreaterThan(8);
    const several = await chat({ messages: opening, seed: 3, n: 4, ...details });
    expect(new Set(several.choices.map(({ token_ids: ids }) => ids.join())).size).toBeGreaterThan(1);
  });

  it('streams what it would answer whole', async () => {
    const { chat, post } = await serve({ maxActionTokens: 40 });
    const request = { messages: opening, seed: 5, n: 2, ...details };
    const whole = await chat(request);
    const { headers, text } = await post('/chat/completions', {
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(headers.get('content-type')).toContain('text/event-stream');
    const events = text.split('\n\n').filter((event) => event !== '');
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events
      .slice(0, -1)
      .map((event) => JSON.parse(event.slice('data: '.length)) as { choices: Delta[]; usage?: object });
    for (const [index, choice] of whole.choices.entries()) {
      const own = chunks.flatMap(({ choices }) => choices.filter((delta) => delta.index === index));
      expect(own[0]!.delta).toEqual({ role: 'assistant', content: '' });
      expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(choice.message.content);
      expect(own.flatMap(({ token_ids: ids = [] }) => ids)).toEqual(choice.token_ids);
      expect(own.at(-1)!.finish_reason).toBe(choice.finish_reason);
    }
    expect(chunks.at(-1)!.usage).toEqual(whole.usage);
  });

  it('completes a prompt of text or of ids', async () => {
    const { model, post } = await serve();
    const ids = model.encoder.encodeAction('a door');
    const complete = async (prompt: unknown) => {
      const { text } = await post('/completions', { prompt, temperature: 0, logprobs: 1, return_token_ids: true });
      return (
        JSON.parse(text) as { choices: { prompt_token_ids: number[]; text: string; logprobs: { tokens: string[] } }[] }
      ).choices[0]!;
    };
    const [byText, byIds] = [await complete('a door'), await complete(ids)];
    expect(byText).toEqual(byIds);
    expect(byText.prompt_token_ids).toEqual(ids);
    expect(byText.logprobs.tokens.length).toBeGreaterThan(0);
  });

  it('completes a list of prompts in their order, each as alone', async () => {
    const { model, post } = await serve();
    const prompts = ['a door', model.encoder.encodeAction('a wall'), 'open it'];
    const complete = async (prompt: unknown, n: number) => {
      const { text } = await post('/completions', { prompt, n, seed: 7, return_token_ids: true });
      return JSON.parse(text) as {
        choices: { index: number; text: string; prompt_token_ids: number[] }[];
        usage: { prompt_tokens: number };
      };
    };
    const all = await complete(prompts, 2);
    expect(all.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    const alone = await Promise.all(prompts.map((prompt) => complete(prompt, 2)));
    expect(all.choices.map(({ text }) => text)).toEqual(
      alone.flatMap(({ choices }) => choices.map(({ text }) => text)),
    );
    expect(all.choices[3]!.prompt_token_ids).toEqual(prompts[1]);
    expect(all.usage.prompt_tokens).toBe(alone.reduce((sum, { usage }) => sum + usage.prompt_tokens, 0));
  });

  it('reads control tokens of a prompt only where it is asked to, and says so', async () => {
    const { model, post } = await serve();
    Object.assign(model.encoder, {
      encodeText: (text: string, { addSpecial, parseSpecial }: { addSpecial: boolean; parseSpecial: boolean }) => [
        ...(addSpecial ? [1] : []),
        ...(parseSpecial && text.startsWith('<end>') ? [4] : []),
        ...model.encoder.encodeAction(parseSpecial ? text.replace('<end>', '') : text),
      ],
    });
    const complete = async (body: object) => {
      const { text } = await post('/completions', { prompt: '<end>a door', return_token_ids: true, ...body });
      const events = text.startsWith('data: ') ? text.split('\n\n').slice(-3) : [`data: ${text}`];
      return JSON.parse(events[0]!.slice('data: '.length)) as {
        choices: { prompt_token_ids?: number[] }[];
        warnings?: string[];
      };
    };
    const spelled = expect.stringContaining('spells control tokens') as string;
    const [plain, door] = ['<end>a door', 'a door'].map((text) => model.encoder.encodeAction(text));
    expect(await complete({})).toMatchObject({ choices: [{ prompt_token_ids: plain }], warnings: [spelled] });
    expect(await complete({ stream: true })).toMatchObject({ warnings: [spelled] });
    expect(await complete({ add_special_tokens: true })).toMatchObject({
      choices: [{ prompt_token_ids: [1, ...plain!] }],
      warnings: [spelled],
    });
    const parsed = await complete({ parse_special: true, add_special_tokens: true });
    expect(parsed.choices[0]!.prompt_token_ids).toEqual([1, 4, ...door!]);
    expect(parsed).not.toHaveProperty('warnings');
    expect(await complete({ prompt: 'a door' })).not.toHaveProperty('warnings');
  });

  it.each<[string, object]>([
    ['an id outside of the vocabulary', { prompt: [1, 1_000_000] }],
    ['a negative id', { prompt: [1, -1] }],
    ['an id that is no integer', { prompt: [0.5] }],
    ['no ids', { prompt: [] }],
    ['an empty text', { prompt: '' }],
    ['an empty prompt in a list', { prompt: ['a door', ''] }],
    ['an end token that the model does not have', { prompt: 'a door', stop_token_ids: [1_000_000] }],
  ])('refuses a completion with %s before it asks the model', async (_, body) => {
    const { model, post } = await serve();
    const { status, text } = await post('/completions', body);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toHaveProperty('error.param', expect.stringMatching(/^(prompt|stop_token_ids)$/));
    expect(model.calls).toEqual([]);
  });

  it.each<[string, object | string, number, string]>([
    [
      'a conversation that is too long',
      { messages: [{ role: 'user', content: 'a door '.repeat(100) }] },
      400,
      'context_length_exceeded',
    ],
    ['room for too many tokens', { messages: opening, max_tokens: 500 }, 400, 'context_length_exceeded'],
    ['another model', { messages: opening, model: 'gpt' }, 404, 'model_not_found'],
    ['roles that do not alternate', { messages: [...opening, { role: 'user', content: 'a wall' }] }, 400, 'alternate'],
    ['an answer at the end', { messages: [...opening, { role: 'assistant', content: 'open it' }] }, 400, 'alternate'],
    ['no JSON', '{', 400, 'not JSON'],
    ['another model in a long body', { model: 'x'.repeat(1e6), messages: opening }, 404, 'does not exist'],
    ['too large a body', `"${'x'.repeat(17 * 1024 * 1024)}"`, 413, 'bytes'],
  ])('refuses %s', async (_, body, status, words) => {
    const { post } = await serve();
    const answer = await post('/chat/completions', body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(words);
    expect(JSON.parse(answer.text)).toHaveProperty('error.message');
  });

  it('wants its key, its own name, and no web page', async () => {
    const { post, server } = await serve({ key: 'a-key-of-16-chars' });
    const ask = async (headers: Record<string, string>) =>
      (await post('/chat/completions', { messages: opening }, headers)).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await ask({ authorization: 'Bearer a-key-of-16-chars' })).toBe(200);
    expect(await ask({ authorization: 'Bearer a-key-of-16-chars', origin: 'http://evil.example' })).toBe(403);
    const { endpoint } = { endpoint: undefined as never };
    await expect(servePolicy({ endpoint, host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
      code: 'AG_SERVE_FAILED',
    });
    await expect(servePolicy({ endpoint, host: '127.0.0.1', port: 0, key: 'short' })).rejects.toThrow('can be guessed');
    const { port } = new URL(server.url);
    await expect(servePolicy({ endpoint, host: '127.0.0.1', port: Number(port) })).rejects.toThrow(
      'another program uses it',
    );
  });

  // A page of another site can have a name that points to this machine. It cannot know the key.
  it('answers to other names only where a key is needed', async () => {
    const ask = (url: string, headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const { hostname, port } = new URL(url);
        const options = { hostname, port, path: '/v1/models', headers: { host: 'box.example', ...headers } };
        get(options, (response) => resolve(response.resume().statusCode)).on('error', reject);
      });
    const [open, closed] = [await serve(), await serve({ key: 'a-key-of-16-chars' })];
    expect(await ask(open.server.url, {})).toBe(403);
    expect(await ask(closed.server.url, {})).toBe(401);
    expect(await ask(closed.server.url, { authorization: 'Bearer a-key-of-16-chars' })).toBe(200);
  });

  it('forgets a text whose client is gone', async () => {
    const { chat, model, server } = await serve({ maxActionTokens: 5000, maxTokens: 6000 });
    model.milliseconds = 10;
    const abort = new AbortController();
    const body = JSON.stringify({ prompt: 'a door', stream: true, ignore_eos: true });
    const response = await fetch(`${server.url}/completions`, { method: 'POST', body, signal: abort.signal }).then(
      ({ body: stream }) => stream!.getReader().read(),
    );
    expect(response.done).toBe(false);
    abort.abort();
    // The next request is answered, and the sequence of the first was released.
    expect((await chat({ messages: opening, max_tokens: 1 })).status).toBe(200);
    const [sequence] = model.calls[0]!.requests.map((request) => request.sequence);
    await vi.waitFor(() => expect(model.released).toContain(sequence), 20_000);
    // It was not written to its end.
    expect(model.calls.length).toBeLessThan(300);
  });

  it('answers open requests before it stops, and ends those that take too long', async () => {
    const { chat, model, post, server } = await serve({ maxActionTokens: 60 });
    model.milliseconds = 40;
    const open = chat({ messages: opening });
    await vi.waitFor(() => expect(model.calls.length).toBeGreaterThan(0), 20_000);
    await server.close();
    expect((await open).status).toBe(200);
    await expect(post('/chat/completions', { messages: opening })).rejects.toThrow();
    const second = await serve({ maxActionTokens: 60 });
    second.model.milliseconds = 200;
    const slow = second.chat({ messages: opening });
    await vi.waitFor(() => expect(second.model.calls.length).toBeGreaterThan(0), 20_000);
    await second.server.close(10);
    expect((await slow).status).toBe(503);
  });
});

interface Delta {
  readonly index: number;
  readonly delta: { readonly role?: string; readonly content?: string };
  readonly token_ids?: number[];
  readonly finish_reason: string | null;
}
