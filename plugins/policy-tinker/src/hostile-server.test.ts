// A server that lies: every lie is told as the server's, with the member, and ends the run as `UNAVAILABLE`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PolicyModel } from '@agentgym/cli';
import { buildBatch, lossInputs, lossOperations as ops, TabularEncoder } from '@agentgym/cli/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { create } from './create-policy.js';
import { hostWith, optionsFor } from './fixtures/test-policy.js';
import { startTinkerServer, type TinkerServer } from './fixtures/tinker-server.js';
import type { Options } from './options.js';

const encoder = TabularEncoder.fromTexts('word', ['go north', 'You see a door.']);
let from: string;
let server: TinkerServer | undefined;
let model: PolicyModel | undefined;
beforeEach(async () => {
  from = await mkdtemp(join(tmpdir(), 'tinker-'));
  await writeFile(join(from, 'config.json'), '{"max_position_embeddings": 512}');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await model?.dispose();
  await server?.close();
  await rm(from, { recursive: true });
});

type Lie = {
  readonly path: string;
  readonly at?: number;
  readonly body: unknown;
  readonly status?: number;
  readonly binary?: true;
};

async function open({ path, at = 0, body, binary, status }: Lie, options: Partial<Options> = {}) {
  let asked = 0;
  const lied: Buffer | string = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  server = await startTinkerServer({
    ...{ encoder, reduction: 'sum', isBinary: binary === true },
    disturb: (one) => {
      if (one !== path || asked++ !== at) return undefined;
      const type = binary === true ? 'application/x-protobuf' : 'application/json';
      return { status: status ?? 200, headers: { 'content-type': type }, body: lied as string };
    },
  });
  const own = optionsFor(server.url, { server: 'tinker', outageSeconds: 1, deadlineSeconds: 5, ...options });
  return create(own, hostWith(encoder), { from, valueHead: false, corpus: async function* () {} });
}

function batch() {
  const begin = encoder.begin('', 'You see a door.');
  const action = encoder.encodeAction('go north');
  const tokens = [...begin, ...action];
  const mask = [...begin.map(() => 0 as const), ...action.map(() => 1 as const)];
  const turns = [{ sampled: [begin.length, tokens.length] as const, reward: 1 }];
  const record = { tokens, mask, logprobs: mask.map((one) => -one) };
  const built = buildBatch([{ record, turns, group: 0, truncated: false }], 1);
  return {
    ...built,
    advantages: built.advantages.map(() => 1),
    weight: built.weight.map((_, i) => built.mask[i] ?? 0),
  };
}

const loss = { terms: { loss: ops.sub(ops.constant(0), ops.mul(lossInputs.advantages, lossInputs.logprob)) } };
const act = (one: PolicyModel) =>
  one.generate(
    [
      {
        tokens: encoder.begin('', 'You see a door.'),
        sequence: 'a',
        endIds: [0],
        maxTokens: 3,
        draws: Float64Array.of(0.5, 0.5, 0.5),
      },
    ],
    { temperature: 1, topP: 1, topK: 0 },
  );
const read = (one: PolicyModel) => one.logprobs(batch());
const step = async (one: PolicyModel) => {
  await one.forwardBackward(batch(), loss);
  return one.optimizerStep({ learningRate: 0.1 });
};

const result = 'retrieve_future';
/** The second result of a model that samples is that of its sampler, the third the sample. */
const sample = (sequence: unknown): Lie => ({ path: result, at: 2, body: { sequences: [sequence] } });

describe('a Tinker server that lies', () => {
  it.each<[string, (model: PolicyModel) => Promise<unknown>, Lie, RegExp]>([
    [
      'null for a session',
      act,
      { path: 'create_session', body: { session_id: null } },
      /create_session with session_id: null, not a text/,
    ],
    ['a list for a session', act, { path: 'create_session', body: [] }, /create_session with a list, not an object/],
    ['no request', act, { path: 'create_model', body: {} }, /create_model with request_id: missing/],
    ['a number for a request', act, { path: 'create_model', body: { request_id: 5 } }, /request_id: 5, not a text/],
    [
      'a number for a model',
      act,
      { path: result, body: { model_id: 5 } },
      /retrieve_future with model_id: 5, not a text/,
    ],
    ['no path of a sampler', act, { path: result, at: 1, body: {} }, /retrieve_future with path: missing/],
    [
      'an object for a sampler',
      act,
      { path: 'create_sampling_session', body: { sampling_session_id: {} } },
      /sampling_session_id: an object, not a text/,
    ],
    ['no sequences', act, { path: result, at: 2, body: {} }, /retrieve_future with sequences: missing/],
    ['no sequence', act, { path: result, at: 2, body: { sequences: [] } }, /sequences: no sequence/],
    ['null for a sequence', act, sample(null), /sequences\[0\]: null, not an object/],
    ['texts for tokens', act, sample({ tokens: ['1'], logprobs: [-1] }), /tokens\[0\]: "1", not a number/],
    ['a token below 0', act, sample({ tokens: [-1], logprobs: [-1] }), /tokens\[0\]: -1, not a number from 0/],
    ['no log probabilities', act, sample({ tokens: [1] }), /logprobs: missing/],
    [
      'a log probability above 0',
      act,
      sample({ tokens: [1], logprobs: [0.5] }),
      /logprobs\[0\]: 0\.5, not a number from/,
    ],
    ['a log probability of no token', act, sample({ tokens: [1], logprobs: [-1e308] }), /logprobs\[0\]: -1e\+308, not/],
    ['null for a log probability', act, sample({ tokens: [1], logprobs: [null] }), /logprobs\[0\]: null, not a number/],
    [
      'a log probability too few',
      act,
      sample({ tokens: [1, 2], logprobs: [-1] }),
      /returned 1 log probabilities for 2 tokens/,
    ],
    ['no tokens', act, sample({ tokens: [], logprobs: [] }), /sampled 0 tokens where it was asked for 1 to 3/],
    ['too many tokens', act, sample({ tokens: [1, 1, 1, 1], logprobs: [-1, -1, -1, -1] }), /sampled 4 tokens/],
    ['no outputs of a pass', read, { path: result, at: 1, body: {} }, /loss_fn_outputs: missing/],
    [
      'null for an output',
      read,
      { path: result, at: 1, body: { loss_fn_outputs: [null] } },
      /loss_fn_outputs\[0\]: null/,
    ],
    [
      'too few of a pass',
      read,
      { path: result, at: 1, body: { loss_fn_outputs: [{ logprobs: { data: [-1] } }] } },
      /1 log probabilities for \d+ tokens/,
    ],
    [
      'a text in a pass',
      read,
      { path: result, at: 1, body: { loss_fn_outputs: [{ logprobs: { data: ['x'] } }] } },
      /data\[0\]: "x", not a number/,
    ],
    ['a text for metrics', step, { path: result, at: 2, body: { metrics: 'x' } }, /metrics: "x", not an object/],
    [
      'a text for a norm',
      step,
      { path: result, at: 2, body: { metrics: { grad_norm: 'x' } } },
      /grad_norm: "x", not a number/,
    ],
    [
      'a norm below 0',
      step,
      { path: result, at: 2, body: { metrics: { grad_norm: -5 } } },
      /grad_norm: -5, not a number of at least 0/,
    ],
    ['a page for a result', act, { path: result, at: 1, body: '<html>' }, /retrieve_future with no JSON: <html>/],
    ['nothing for a result', act, { path: result, at: 1, body: '' }, /with no JSON, but an empty body/],
    [
      'JSON that is too deep',
      act,
      { path: 'create_session', body: '['.repeat(1e5) },
      /create_session|cannot be reached|JSON/,
    ],
    [
      'bytes that are no message',
      act,
      { path: result, at: 2, body: '\u0001\u0002\u0003', binary: true },
      /retrieve_future with a message that cannot be read/,
    ],
    [
      'a message without a sequence',
      act,
      { path: result, at: 2, body: '', binary: true },
      /retrieve_future with no sequence/,
    ],
    [
      'a message without a pass',
      read,
      { path: result, at: 1, body: '', binary: true },
      /retrieve_future with no log probabilities/,
    ],
  ])('ends the run with %s', async (_, work, lie, words) => {
    model = await open(lie);
    const error = await work(model).catch((caught: unknown) => caught);
    if (lie.path === 'create_session' && typeof lie.body === 'string')
      return expect(error).not.toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(words) as string });
  });

  it.each<[string, unknown, RegExp]>([
    ['a text', { supported_models: 'x' }, /supported_models: "x", not a list/],
    ['null', { supported_models: [null] }, /supported_models\[0\]: null, not an object/],
    ['a number', { supported_models: [{ model_name: 5 }] }, /model_name: 5, not a text/],
    ['nothing', {}, /lists no model/],
  ])('is not used if its models are %s', async (_, body, words) => {
    const opened = open({ path: 'get_server_capabilities', body });
    await expect(opened).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(words) as string,
    });
  });

  it('that throws every result away ends the run', async () => {
    server = await startTinkerServer({
      ...{ encoder, reduction: 'sum', isBinary: false },
      disturb: (path) => (path === result ? { status: 410, body: '{}' } : undefined),
    });
    const own = optionsFor(server.url, { server: 'tinker', deadlineSeconds: 60 });
    model = await create(own, hostWith(encoder), { from, valueHead: false, corpus: async function* () {} });
    await expect(act(model)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('discarded 11 results of a request') as string,
    });
  }, 30_000);

  it('shows no key that it repeats', async () => {
    vi.stubEnv('TINKER_API_KEY', 'tml-SECRET-key');
    for (const status of [400, 401, 503]) {
      const body = { detail: 'Invalid key tml-SECRET-key' };
      const error = await open({ path: 'get_server_capabilities', body, status }, { outageSeconds: 0 }).catch(
        (caught: unknown) => caught,
      );
      expect(String(error)).toContain('Invalid key ***');
      expect(JSON.stringify([error, String(error)])).not.toContain('SECRET');
      await server?.close();
    }
  });

  it('is not followed elsewhere', async () => {
    server = await startTinkerServer({
      ...{ encoder, reduction: 'sum', isBinary: false },
      disturb: () => ({ status: 307, headers: { location: 'http://localhost:1/steal' } }),
    });
    const opened = create(optionsFor(server.url), hostWith(encoder), {
      from,
      valueHead: false,
      corpus: async function* () {},
    });
    await expect(opened).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('sent the request elsewhere (307)') as string,
    });
  });
});
