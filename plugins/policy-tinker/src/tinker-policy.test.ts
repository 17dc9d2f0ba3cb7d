import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Loss, PolicyModel, TrainingBatch } from '@agentgym/cli';
import {
  buildBatch,
  lossInputs as inputs,
  lossOperations as ops,
  TabularEncoder,
  TabularPolicy,
  testHost,
} from '@agentgym/cli/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { create } from './create-policy.js';
import { hostWith, optionsFor } from './fixtures/test-policy.js';
import { startTinkerServer, type TinkerServer, type TinkerServerSettings } from './fixtures/tinker-server.js';
import type { Options } from './options.js';

const encoder = TabularEncoder.fromTexts('word', ['go north', 'go south', 'You see a door.', 'higher, 18 to 33']);
let from: string;
let server: TinkerServer | undefined;
const models: PolicyModel[] = [];
beforeEach(async () => {
  from = await mkdtemp(join(tmpdir(), 'tinker-'));
  await writeFile(join(from, 'config.json'), '{"max_position_embeddings": 512}');
});
afterEach(async () => {
  for (const model of models.splice(0)) await model.dispose();
  await server?.close();
  await rm(from, { recursive: true });
});

const context = () => ({ from, valueHead: false, corpus: async function* () {} });

async function open(
  settings: Partial<TinkerServerSettings> = {},
  options: Partial<Options> = {},
): Promise<PolicyModel> {
  server ??= await startTinkerServer({ encoder, reduction: 'sequence-mean', isBinary: true, ...settings });
  const own = { server: settings.reduction === 'sum' ? 'tinker' : 'skyrl-jax', ...options } as const;
  const model = await create(optionsFor(server.url, own), hostWith(encoder), context());
  models.push(model);
  return model;
}
afterEach(() => (server = undefined));

/** Two rows of different lengths with observations between the actions, and a row that nobody sampled. */
function batch(): TrainingBatch {
  const words = (text: string) => encoder.encodeAction(text);
  const row = (parts: readonly (readonly [readonly number[], 0 | 1])[], group: number) => {
    const tokens = parts.flatMap(([ids]) => ids);
    const mask = parts.flatMap(([ids, sampled]) => ids.map(() => sampled));
    const first = mask.indexOf(1);
    const turns = first < 0 ? [] : [{ sampled: [first, mask.lastIndexOf(1) + 1] as const, reward: 1 }];
    return { record: { tokens, mask, logprobs: mask.map((one) => -1.2 * one) }, turns, group, truncated: false };
  };
  const begin = encoder.begin('', 'You see a door.');
  const built = buildBatch(
    [
      row(
        [
          [begin, 0],
          [words('go north'), 1],
          [encoder.append('higher, 18 to 33'), 0],
          [words('go'), 1],
        ],
        0,
      ),
      row(
        [
          [begin, 0],
          [words('go south'), 1],
          [encoder.append('You see a door.'), 0],
        ],
        0,
      ),
      row([[begin, 0]], 1),
    ],
    1,
  );
  const spread = (value: (index: number) => number) =>
    Float64Array.from(built.mask, (mask, index) => (mask === 1 ? value(index) : 0));
  return {
    ...built,
    weight: spread((index) => 0.05 + 0.02 * (index % 3)),
    advantages: spread((index) => (index % 2 === 0 ? 1.5 : -0.7)),
  };
}

const minus = (of: Parameters<typeof ops.sub>[1]) => ops.sub(ops.constant(0), of);
const ratio = ops.exp(ops.sub(inputs.logprob, inputs.logprobs));
const losses: { readonly [name: string]: Loss } = {
  cross_entropy: { terms: { loss: minus(inputs.logprob) } },
  policy_gradient: { terms: { loss: minus(ops.mul(inputs.advantages, inputs.logprob)) } },
  importance_sampling: { terms: { loss: minus(ops.mul(ratio, inputs.advantages)) } },
  ppo: {
    terms: {
      loss: minus(ops.min(ops.mul(ratio, inputs.advantages), ops.mul(ops.clip(ratio, 0.9, 1.1), inputs.advantages))),
    },
  },
  cispo: {
    terms: {
      loss: minus(ops.mul(ops.mul(ops.stopGradient(ops.clip(ratio, 0, 1.3)), inputs.advantages), inputs.logprob)),
    },
  },
};

/** The model of the server, here: the seed of the adapter is known from the policy's own stream. */
function localTwin(): TabularPolicy {
  const seed = testHost()
    .random.stream('adapter')
    .integer(0, 2 ** 31);
  return new TabularPolicy({ encoder, contextLength: 2, deviation: 0.5, seed });
}

const training = { name: 'adamw', options: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 } };

describe.each([
  { reduction: 'sequence-mean', isBinary: true },
  { reduction: 'sum', isBinary: false },
] as const)('on a server with the reduction $reduction', (settings) => {
  it.each(Object.keys(losses))('%s learns as the same model does in this process', async (name) => {
    const loss = losses[name] as Loss;
    const [model, twin] = [await open(settings, { batchSequences: 1 }), localTwin()];
    await twin.resetOptimizer(training);
    for (let step = 0; step < 3; step += 1) {
      const [there, here] = [await model.forwardBackward(batch(), loss), await twin.forwardBackward(batch(), loss)];
      expect(there.terms['loss']).toBeCloseTo(here.terms['loss'] as number, 6);
      const made = { learningRate: 0.05 };
      const [far, near] = [await model.optimizerStep(made), await twin.optimizerStep(made)];
      expect(far.gradientNorm).toBeCloseTo(near.gradientNorm, 5);
    }
    const [there, here] = [await model.logprobs(batch()), await twin.logprobs(batch())];
    there.forEach((logprob, index) => expect(logprob).toBeCloseTo(here[index] as number, 5));
    expect(model.policyVersion).toBe(3);
  });
});

it('goes on with the same weights on a server that was started again', async () => {
  const [model, twin] = [await open({}, { keepSteps: 2 }), localTwin()];
  await twin.resetOptimizer(training);
  const loss = losses['ppo'] as Loss;
  for (let step = 0; step < 5; step += 1) {
    if (step === 1 || step === 3) server?.restart();
    // The gradient of this pass is lost in the last step.
    const passed = model.forwardBackward(batch(), loss);
    await twin.forwardBackward(batch(), loss);
    await passed;
    if (step === 4) server?.restart();
    expect((await model.optimizerStep({ learningRate: 0.05 })).applied).toBe(true);
    await twin.optimizerStep({ learningRate: 0.05 });
  }
  server?.restart();
  const request = {
    tokens: encoder.begin('', 'You see a door.'),
    sequence: 'one',
    endIds: encoder.endIds,
    maxTokens: 1,
  };
  const [answer] = await model.generate([{ ...request, draws: Float64Array.of(0.5) }], {
    temperature: 0,
    topP: 1,
    topK: 0,
  });
  const [expected] = await twin.generate([{ ...request, draws: Float64Array.of(0.5) }], {
    temperature: 0,
    topP: 1,
    topK: 0,
  });
  expect(answer?.tokens).toEqual(expected?.tokens);
  const [there, here] = [await model.logprobs(batch()), await twin.logprobs(batch())];
  there.forEach((logprob, index) => expect(logprob).toBeCloseTo(here[index] as number, 5));
});

it('takes back a step that was not finite, also when the next one was asked for ahead, and keeps those before it', async () => {
  let isOverflowing = false;
  const disturb = (path: string) => {
    if (path !== 'retrieve_future' || !isOverflowing) return undefined;
    isOverflowing = false;
    return { status: 200, body: '{"metrics": {"skyrl.ai/grad_norm": null}}' };
  };
  const [model, twin] = [await open({ disturb }), localTwin()];
  await twin.resetOptimizer(training);
  const loss = losses['ppo'] as Loss;
  const step = async (policy: PolicyModel, of: TrainingBatch) => {
    const passed = policy.forwardBackward(of, loss);
    const stepped = policy.capabilities.ahead === true ? policy.optimizerStep({ learningRate: 0.05 }) : undefined;
    await passed;
    return stepped ?? policy.optimizerStep({ learningRate: 0.05 });
  };
  await step(model, batch());
  const spoilt = { ...batch(), weight: batch().weight.map((weight) => (weight === 0 ? 0 : Infinity)) };
  const [bad, good] = await Promise.all([step(model, spoilt), step(model, batch())]);
  expect([bad.applied, good.applied, model.policyVersion]).toEqual([false, true, 2]);
  await model.forwardBackward(batch(), loss);
  isOverflowing = true;
  expect((await model.optimizerStep({ learningRate: 0.05 })).applied).toBe(false);
  await step(twin, batch());
  await step(twin, batch());
  const [there, here] = [await model.logprobs(batch()), await twin.logprobs(batch())];
  there.forEach((logprob, index) => expect(logprob).toBeCloseTo(here[index] as number, 5));
});

it('submits a pass and its step before the pass is answered', async () => {
  const model = await open();
  const passed = model.forwardBackward(batch(), losses['ppo'] as Loss);
  const stepped = model.optimizerStep({ learningRate: 0.01 });
  await Promise.all([passed, stepped]);
  const order = server?.asked ?? [];
  const result = order.findIndex(
    (path, index) => path === 'retrieve_future' && index > order.indexOf('forward_backward'),
  );
  expect(order.indexOf('optim_step')).toBeGreaterThan(order.indexOf('forward_backward'));
  expect(result).toBeGreaterThan(0);
});

it('ends if the server loses the model again and again', async () => {
  let isLosing = false;
  const model = await open({
    disturb: (path) => {
      if (isLosing && path === 'optim_step') server?.restart();
      return undefined;
    },
  });
  await model.forwardBackward(batch(), losses['ppo'] as Loss);
  isLosing = true;
  await expect(model.optimizerStep({ learningRate: 0.01 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

it('waits for a result that is not ready, and asks again for one that was thrown away', async () => {
  const statuses = [408, 408, 410];
  const model = await open({
    disturb: (path) => {
      const status = path === 'retrieve_future' ? statuses.shift() : undefined;
      return status === undefined ? undefined : { status, body: '{"detail": "not here"}' };
    },
  });
  const twin = localTwin();
  const [there, here] = [await model.logprobs(batch()), await twin.logprobs(batch())];
  there.forEach((logprob, index) => expect(logprob).toBeCloseTo(here[index] as number, 5));
  expect(statuses).toEqual([]);
});

it('ends a result that does not come within the deadline', async () => {
  let isSlow = false;
  const disturb = (path: string) => (isSlow && path === 'retrieve_future' ? { status: 408 } : undefined);
  const model = await open({ disturb }, { deadlineSeconds: 0.3 });
  await model.logprobs(batch());
  isSlow = true;
  await expect(model.logprobs(batch())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'the server returned no result in 0.3 s',
  });
});

describe('a server that cannot be used', () => {
  const only = (
    path: string,
    disturbance: { status?: number; body?: string; headers?: Record<string, string>; hangUp?: true },
    times = Infinity,
  ) => {
    let left = times;
    return (asked: string) => (asked === path && (left -= 1) >= 0 ? disturbance : undefined);
  };

  it('waits as long as a rate limit says, and repeats a request whose answer was cut', async () => {
    const limited = only('create_session', { status: 429, headers: { 'retry-after': '0.2' } }, 2);
    const cut = only('forward_backward', { hangUp: true }, 1);
    const start = performance.now();
    const model = await open({ disturb: (path) => limited(path) ?? cut(path) });
    await model.logprobs(batch());
    expect(performance.now() - start).toBeGreaterThan(400);
  });

  it('lets many requests wait at once, without a warning', async () => {
    const warnings: string[] = [];
    const listen = ({ name }: Error) => warnings.push(name);
    process.on('warning', listen);
    const model = await open({ disturb: only('asample', { status: 429, headers: { 'retry-after': '0.1' } }, 16) });
    const requests = Array.from({ length: 16 }, (_, index) => ({
      ...{ tokens: encoder.begin('', 'You see a door.'), sequence: `${index}`, endIds: encoder.endIds, maxTokens: 2 },
      draws: new Float64Array(2).fill(0.5),
    }));
    const sampling = { temperature: 1, topP: 1, topK: 0 };
    expect(await model.generate(requests, sampling, new AbortController().signal)).toHaveLength(16);
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  it('takes a failure at the first batch for what it is', async () => {
    const failing = only('forward_backward', { status: 500, body: 'failed' }, 1);
    const model = await open({ disturb: failing });
    const [there, here] = [await model.logprobs(batch()), await localTwin().logprobs(batch())];
    there.forEach((logprob, index) => expect(logprob).toBeCloseTo(here[index] as number, 5));
  });

  it('takes failures at every first batch for an outage', async () => {
    const model = await open({ disturb: only('forward_backward', { status: 500 }) }, { outageSeconds: 0.4 });
    await expect(model.logprobs(batch())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it.each([
    [
      { status: 401, body: '{"detail": "bad key"}' },
      'answered get_server_capabilities with 401: bad key. The key is read from TINKER_API_KEY.',
    ],
    [
      { status: 200, body: '<html>Welcome</html>' },
      'answered get_server_capabilities with no JSON: <html>Welcome</html>. Is it a Tinker server?',
    ],
    [{ status: 503, body: 'busy' }, 'answered get_server_capabilities with 503: busy. Tried for 0.4 s.'],
  ])('says what it answered: %o', async (answer, message) => {
    await expect(open({ disturb: only('get_server_capabilities', answer) }, { outageSeconds: 0.4 })).rejects.toThrow(
      message,
    );
  });

  it('says that it is not there', async () => {
    const { close, url } = await startTinkerServer({ encoder, reduction: 'sum', isBinary: true });
    await close();
    const model = create(optionsFor(url, { outageSeconds: 0 }), hostWith(encoder), context());
    await expect(model).rejects.toThrow(`${url}/api/v1 cannot be reached (ECONNREFUSED). Tried for 0 s.`);
  });

  it('names the models that it has', async () => {
    await expect(open({}, { model: 'qwen' })).rejects.toThrow('the server has no model qwen. It has tabular.');
  });
});

it('sends the key, and never shows it', async () => {
  vi.stubEnv('TINKER_API_KEY', 'tml-secret');
  const keys = new Set<unknown>();
  const model = await open({
    disturb: (_path, headers) => {
      keys.add(headers['x-api-key']);
      return undefined;
    },
  });
  await model.logprobs(batch());
  vi.unstubAllEnvs();
  expect([...keys]).toEqual(['tml-secret']);
  expect(JSON.stringify(model.describe())).not.toContain('secret');
});

it('needs a folder with a tokenizer, a server, and no critic', async () => {
  const host = hostWith(encoder);
  const options = optionsFor('http://127.0.0.1:9');
  await expect(create(options, host, { ...context(), valueHead: true })).rejects.toThrow('have no critic');
  const { corpus, valueHead } = context();
  await expect(create(options, host, { corpus, valueHead })).rejects.toThrow('set policy.from to a folder');
  await expect(create({ ...options, url: null }, host, context())).rejects.toThrow(
    'set the option url, or TINKER_BASE_URL',
  );
});

it('refuses a loss that the server cannot compute, and another temperature', async () => {
  const model = await open();
  const unknown: Loss = { terms: { squares: ops.mul(inputs.logprob, inputs.logprob) } };
  await expect(model.forwardBackward(batch(), unknown)).rejects.toThrow(
    'the server has no loss that equals the term squares',
  );
  await expect(model.logprobs({ ...batch(), temperature: 0.7 })).rejects.toThrow('at temperature 1, not 0.7');
});

it('is evaluated from its checkpoint', async () => {
  const model = await open();
  await model.forwardBackward(batch(), losses['ppo'] as Loss);
  await model.optimizerStep({ learningRate: 0.05 });
  const folder = await mkdtemp(join(tmpdir(), 'tinker-saved-'));
  await model.save(folder);
  const other = await create(optionsFor(server?.url ?? '', { server: 'skyrl-jax' }), hostWith(encoder), {
    ...context(),
    from: folder,
  });
  models.push(other);
  expect([...(await other.logprobs(batch()))]).toEqual([...(await model.logprobs(batch()))]);
  await rm(folder, { recursive: true });
});
