import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GenerateRequest, Sampling, TokenSampler } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { type Asked, type ChatServer, type Reply, startChatServer } from './fixtures/chat-server.js';
import { samplerOptions, type SamplerOptions } from './sampler-options.js';
import { create } from './token-sampler.js';

const servers: ChatServer[] = [];
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'openai-sampler-'))));
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
  rmSync(folder, { recursive: true });
});

const silent = new AbortController().signal;
const sampling: Sampling = { temperature: 1, topP: 1, topK: 0 };
const request = (changes: Partial<GenerateRequest> = {}): GenerateRequest => ({
  tokens: [5, 6, 7],
  sequence: 'one',
  endIds: [0, 9],
  maxTokens: 4,
  draws: Float64Array.of(0.5, 0.1, 0.2, 0.3),
  ...changes,
});

/** What vLLM answers to a request for tokens. */
function completion({ body }: Asked, changes: object = {}, model = body['model']): Reply {
  const tokens = [12, 13, 9];
  const logprobs = { token_logprobs: [-0.5, -1.25, -0.125], tokens: ['a', 'b', 'c'] };
  const ids = { token_ids: tokens, prompt_token_ids: body['prompt'] };
  return { body: { model, choices: [{ index: 0, text: 'ab', logprobs, finish_reason: 'stop', ...ids, ...changes }] } };
}

const invalid: Reply = { status: 400, body: { error: { message: '2 validation errors', code: 400 } } };
const success: Reply = { headers: { 'content-type': 'text/plain' }, body: 'Success: done.' };

/** A server that takes adapters, and answers requests for tokens as a test says. */
async function serve(answer: (asked: Asked, index: number) => Reply = (asked) => completion(asked)) {
  let completions = 0;
  const server = await startChatServer((asked) => {
    const { body, path } = asked;
    if (path.startsWith('/v1/models')) return { body: { object: 'list', data: [{ id: 'base' }] } };
    if (path.startsWith('/v1/completions')) return answer(asked, completions++);
    return body['lora_name'] === undefined ? invalid : success;
  });
  servers.push(server);
  return server;
}

function open(address: string, changes: Partial<SamplerOptions> = {}, temperature = 1): TokenSampler {
  const options = { ...optionDefaults(samplerOptions), retries: 0, ...changes };
  return create(options, testHost(), { address, sampling: { ...sampling, temperature } });
}

/** A folder as PEFT writes it. */
function adapter(name: string, weights = name) {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'adapter_config.json'), '{"peft_type": "LORA"}');
  writeFileSync(join(path, 'adapter_model.safetensors'), weights);
  return { folder: path, base: { name: 'base' } };
}

const changesOf = ({ asked }: ChatServer) =>
  asked.flatMap(({ body, path }) =>
    path.includes('lora') && body['lora_name'] !== undefined ? [[path.slice(4, -13), body] as const] : [],
  );

const failure = (work: Promise<unknown>): Promise<{ message: string; code?: string }> =>
  work.then(
    () => ({ message: 'it succeeded' }),
    (error: Error) => error,
  );

describe('a sampler behind an endpoint', () => {
  it('sends every setting of sampling, and reads ids and log probabilities', async () => {
    const server = await serve();
    const sampler = open(server.url);
    await sampler.connect(silent);
    await sampler.publish(adapter('first'), silent);
    const requests = [request(), request({ tokens: [8], draws: Float64Array.of(1, 0.5, 0.5, 0.5) })];
    const answer = { tokens: [12, 13, 9], logprobs: [-0.5, -1.25, -0.125], ended: true };
    expect(await sampler.generate(requests, { temperature: 1, topP: 0.9, topK: 3 }, silent)).toEqual([answer, answer]);
    const [first, second] = server.asked.filter(({ path }) => path === '/v1/completions');
    expect(first!.body).toEqual({
      model: expect.stringMatching(/^agentgym-[0-9a-f]{16}$/),
      prompt: [5, 6, 7],
      max_tokens: 4,
      temperature: 1,
      top_p: 0.9,
      top_k: 3,
      min_p: 0,
      repetition_penalty: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      seed: 2 ** 30,
      stop_token_ids: [0, 9],
      ignore_eos: true,
      logprobs: 0,
      return_token_ids: true,
    });
    expect(second!.body).toMatchObject({ prompt: [8], seed: 2 ** 31 - 1 });
    await sampler.generate([request()], sampling, silent);
    expect(server.asked.at(-1)!.body).toMatchObject({ top_p: 1, top_k: -1 });
    const seedless = open(server.url, { seeds: false });
    await seedless.publish(adapter('second'), silent);
    await seedless.generate([request()], sampling, silent);
    expect(server.asked.at(-1)!.body).not.toHaveProperty('seed');
    const promises = { independent: false, draws: false, exact: false, concurrent: true, continuous: true };
    expect(sampler.promises).toEqual(promises);
    expect(sampler.describe()).toEqual({ server: server.url.slice(7), weights: 'adapters', logprobsMode: 'raw' });
  });

  it('names adapters after their content, loads the newest, and unloads the one before', async () => {
    const server = await serve();
    const sampler = open(server.url, { serverFolder: '/shared/weights/' });
    const names: unknown[] = [];
    for (const weights of [adapter('a'), adapter('b'), adapter('c', 'b'), adapter('d')]) {
      await sampler.publish(weights, silent);
      await sampler.generate([request()], sampling, silent);
      names.push(server.asked.at(-1)!.body['model']);
    }
    const [a, b, c, d] = names;
    // Equal weights may share computed prefixes; others must not.
    expect(new Set(names).size).toBe(3);
    expect(c).toBe(b);
    await sampler.dispose?.();
    await sampler.dispose?.();
    const at = (name: unknown, path: string) => ({ lora_name: name, lora_path: `/shared/weights/${path}` });
    expect(changesOf(server)).toEqual([
      ['load', at(a, 'a')],
      ['load', at(b, 'b')],
      ['unload', { lora_name: a }],
      ['load', at(c, 'c')],
      ['load', at(d, 'd')],
      ['unload', { lora_name: c }],
      ['unload', { lora_name: d }],
    ]);
  });

  it('loads an adapter again that the server still has from elsewhere, or has lost', async () => {
    let isThere = true;
    const lost = (name: unknown): Reply => {
      return { status: 404, body: { error: { message: `The model \`${String(name)}\` does not exist.`, code: 404 } } };
    };
    const server = await startChatServer((asked) => {
      const { body, path } = asked;
      if (path === '/v1/completions') return isThere ? completion(asked) : lost(body['model']);
      if (path === '/v1/unload_lora_adapter') isThere = false;
      else if (isThere) return { status: 400, body: { error: { message: 'it has already been loaded.' } } };
      else isThere = true;
      return success;
    });
    servers.push(server);
    const sampler = open(server.url);
    await sampler.publish(adapter('a'), silent);
    expect(changesOf(server).map(([what]) => what)).toEqual(['load', 'unload', 'load']);
    isThere = false;
    await sampler.generate([request(), request({ tokens: [3] })], sampling, silent);
    expect(changesOf(server).map(([what]) => what)).toEqual(['load', 'unload', 'load', 'load']);
  });

  it('keeps at most `concurrency` requests open, and has no more listeners than Node.js allows', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    let [now, most] = [0, 0];
    const server = await serve((asked) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => (now -= 1), 15);
      return { ...completion(asked), milliseconds: 20 };
    });
    const sampler = open(server.url, { concurrency: 30 });
    await sampler.publish(adapter('a'), silent);
    const requests = Array.from({ length: 90 }, (_, id) => request({ tokens: [id] }));
    expect(await sampler.generate(requests, sampling, silent)).toHaveLength(90);
    expect(most).toBeLessThanOrEqual(30);
    expect(most).toBeGreaterThan(1);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Reply]>([
    ['a rate limit', { status: 429, headers: { 'retry-after': '0.01' }, body: { error: { message: 'slow down' } } }],
    ['a fault of the server', { status: 503, headers: { 'retry-after': '0.01' }, body: 'overloaded' }],
    ['half an answer', { body: 'x'.repeat(99), cutAfter: 20 }],
  ])('asks again after %s', async (_, reply) => {
    const server = await serve((asked, index) => (index === 0 ? reply : completion(asked)));
    const sampler = open(server.url, { retries: 2 });
    await sampler.publish(adapter('a'), silent);
    expect(await sampler.generate([request()], sampling, silent)).toHaveLength(1);
  });

  it.each<[string, object, RegExp]>([
    ['no token ids', { token_ids: null, prompt_token_ids: null }, /returned no token ids.*hosted models do not/],
    ['no log probabilities', { logprobs: null }, /returned no log probabilities/],
    ['a log probability too few', { logprobs: { token_logprobs: [-1] } }, /returned 1 log probabilities for 3 tokens/],
    [
      'a log probability that is missing',
      { logprobs: { token_logprobs: [-1, null, -1] } },
      /returned no log probabilities/,
    ],
    ['another prompt', { prompt_token_ids: [5, 6] }, /read other token ids than those that were sent/],
    ['another prompt of the same length', { prompt_token_ids: [5, 6, 8] }, /read other token ids/],
    [
      'an end of its own',
      { token_ids: [12, 13, 14] },
      /at the id 14, which is not an end token.*--generation-config vllm/,
    ],
    [
      'a cap of its own',
      { token_ids: [1, 2, 3], finish_reason: 'length' },
      /after 3 of 4 tokens \(`finish_reason`: length\).*--generation-config vllm.*--max-model-len/,
    ],
    ['an abort', { finish_reason: 'abort' }, /`finish_reason`: abort/],
  ])('refuses an answer with %s', async (_, changes, message) => {
    const server = await serve((asked) => completion(asked, changes));
    const sampler = open(server.url);
    await sampler.publish(adapter('a'), silent);
    const failed = await failure(sampler.generate([request()], sampling, silent));
    expect(failed).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(message) });
    expect(failed.message).toContain(`${server.url.slice(7)} cannot sample: it `);
  });

  it('refuses the answer of other weights', async () => {
    const server = await serve((asked) => completion(asked, {}, 'base'));
    const sampler = open(server.url);
    await sampler.publish(adapter('a'), silent);
    const { message } = await failure(sampler.generate([request()], sampling, silent));
    expect(message).toMatch(/it answered with the model base, not with the published agentgym-[0-9a-f]{16}$/);
  });

  it('takes an action that the cap of the request cut', async () => {
    const cut = { token_ids: [1, 2, 3, 4], finish_reason: 'length', logprobs: { token_logprobs: [-1, -1, -1, -1] } };
    const server = await serve((asked) => completion(asked, cut));
    const sampler = open(server.url);
    await sampler.publish(adapter('a'), silent);
    const [answer] = await sampler.generate([request()], sampling, silent);
    expect(answer).toMatchObject({ tokens: [1, 2, 3, 4], ended: false });
    // Older vLLM says `length` of an end token at the cap.
    const [atCap] = await sampler.generate([request({ endIds: [4] })], sampling, silent);
    expect(atCap).toMatchObject({ ended: true });
  });

  it('ends all requests with the first error, and at an interruption', async () => {
    const server = await serve((asked, index) =>
      index === 0
        ? { status: 400, body: { error: { message: 'no' } } }
        : { ...completion(asked), milliseconds: 60_000 },
    );
    const sampler = open(server.url);
    await sampler.publish(adapter('a'), silent);
    const requests = [request(), request({ tokens: [1] })];
    const { message } = await failure(sampler.generate(requests, sampling, silent));
    expect(message).toBe(`${server.url.slice(7)} answered 400: no`);
    const controller = new AbortController();
    const stopped = failure(sampler.generate(requests, sampling, controller.signal));
    setTimeout(() => controller.abort(new Error('enough')), 50);
    expect(await stopped).toMatchObject({ message: 'enough' });
  });

  it('refuses whole models, and says how to train an adapter', async () => {
    const server = await serve();
    const sampler = open(server.url);
    const failed = await failure(sampler.publish({ folder }, silent));
    expect(failed).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('policy.options.loraRank') });
    expect(server.asked).toEqual([]);
  });

  it('wants log probabilities of the temperature at which it samples', () => {
    expect(() => open('http://here/v1', {}, 0.7)).toThrow(/those of temperature 1, not 0\.7.*processed_logprobs/);
    expect(open('http://here/v1', { logprobsMode: 'processed' }, 0.7).describe()).toMatchObject({
      logprobsMode: 'processed',
    });
  });

  it.each<[string, Reply, RegExp]>([
    [
      'a page',
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      /did not answer JSON.*usually ends in \/v1/,
    ],
    [
      'a wrong key',
      { status: 401, body: { error: 'Unauthorized' } },
      /401: Unauthorized\. The key is read from MY_KEY/,
    ],
    ['no such path', { status: 404, body: { detail: 'Not Found' } }, /404: .*usually ends in \/v1/],
  ])('says what is wrong with %s', async (_, reply, message) => {
    const server = await startChatServer(() => reply);
    servers.push(server);
    const sampler = open(server.url, { keyVariable: 'MY_KEY' });
    expect(await failure(sampler.connect(silent))).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(message),
    });
  });

  it('sends the key of the variable, takes the address of the environment, and shows no secret', async () => {
    const server = await serve();
    vi.stubEnv('MY_KEY', 'sk-secret');
    vi.stubEnv('OPENAI_BASE_URL', server.url.replace('//', '//me:s%40cret@'));
    const sampler = open('', { keyVariable: 'MY_KEY' });
    await sampler.connect(silent);
    expect(server.asked[0]!.headers.authorization).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`);
    await open(server.url, { keyVariable: 'MY_KEY' }).connect(silent);
    expect(server.asked.at(-1)!.headers.authorization).toBe('Bearer sk-secret');
    await server.close();
    const failed = await failure(sampler.connect(silent));
    expect(failed.message).toMatch(/cannot be reached \(/);
    expect(JSON.stringify([failed.message, sampler.describe()])).not.toMatch(/secret|cret|me:/);
    vi.stubEnv('OPENAI_BASE_URL', '');
    expect(() => open('')).toThrow(/set `policy\.sampler\.address`, or OPENAI_BASE_URL/);
  });
});
