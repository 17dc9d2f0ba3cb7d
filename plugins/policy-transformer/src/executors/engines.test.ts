/**
 * Compares the engines: every operation with its derivatives, ten training steps, and sampled tokens. The first engine
 * is the native one, which other tests compare with a reference in float64. Goes red when one lowering of an engine is
 * wrong.
 */
import type { Loss, Sampling, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, lossInputs as inputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import type { DecoderConfig } from '../model/decoder-config.js';
import { initializeParameters, trainableShapes } from '../model/parameters.js';
import { computeValue, derivatives, errorsOfDerivative, values } from '../operations/fixtures/operation-cases.js';
import type { Tensor } from '../operations/tensor.js';
import { EngineCore, type EngineSettings } from '../worker/engine-core.js';
import { packRequests, unpackAnswers } from '../worker/packed-requests.js';
import { ParameterBlock } from '../worker/parameter-block.js';
import { TokenHistories } from '../worker/token-histories.js';
import { createExecutor, type EngineName } from './create-executor.js';
import type { Executor, Precision } from './executor.js';
import { engineFolder, engines } from './fixtures/engines.js';

const config: DecoderConfig = {
  family: 'qwen3',
  vocabularySize: 65,
  hiddenSize: 32,
  layers: 1,
  heads: 4,
  keyValueHeads: 2,
  headWidth: 8,
  intermediateSize: 64,
  maxPositions: 128,
  rmsEpsilon: 1e-6,
  // With a window, a model is sampled with a graph although it is small.
  attentionKinds: [{ rope: { theta: 10_000 }, window: 24 }],
  queryKeyValueBias: true,
  outputBias: false,
  mlpBias: false,
  queryKeyNorm: true,
  outputNorms: false,
  centeredNorms: false,
  activation: 'silu',
  embeddingScale: 1,
  tiedHead: true,
};
const STEPS = 10;

describe.each(engines)('%s', (engine) => {
  let executor: Executor;
  beforeAll(async () => {
    executor = await createExecutor({ engine, engineFolder, threads: 2, log: () => undefined });
  });
  afterAll(() => executor.dispose());

  /** WebGPU is emulated by the processor where there is no GPU: there, one case of each operation. */
  const firstOf = <Case>(cases: readonly Case[]) =>
    cases.slice(0, engine !== 'webgpu' || inject('long') ? Infinity : 1);

  /** Compiles a program that is disposed of after its only run. */
  const once = async (outputs: { readonly [name: string]: Tensor }) => {
    const executable = await executor.compile({ outputs });
    return {
      ...executable,
      run: async (...given: Parameters<typeof executable.run>) => {
        const results = await executable.run(...given);
        await executable.dispose();
        return results;
      },
    };
  };

  it('computes the values and derivatives of every operation', async () => {
    for (const [name, cases] of Object.entries(derivatives)) {
      for (const [number, derivative] of firstOf(cases).entries()) {
        const errors = await errorsOfDerivative(derivative, 100 * number, once);
        for (const [output, error] of errors) expect(error, `${name}, case ${number}, ${output}`).toBeLessThan(2e-6);
      }
    }
    for (const [name, cases] of Object.entries(values)) {
      for (const one of firstOf(cases)) {
        const [got] = await computeValue(one, executor, once);
        for (const [index, x] of one.expected.entries()) expect(got![index], name).toBeCloseTo(x, 5);
      }
    }
  });
});

/** What a model has learnt and says after some steps, with one engine. */
interface Trained {
  readonly losses: readonly number[];
  readonly norms: readonly number[];
  readonly greedy: readonly (readonly number[])[];
  readonly drawn: readonly (readonly number[])[];
  readonly logprobs: readonly number[];
  /** What training takes the drawn tokens for. */
  readonly trained: readonly number[];
}

const loss: Loss = {
  terms: {
    policy: ops.mul(ops.exp(ops.sub(inputs.logprob, inputs.logprobs)), ops.sub(ops.constant(0), inputs.advantages)),
    entropy: ops.mul(ops.constant(-0.01), inputs.entropy),
  },
};

/** Rows of different lengths, of which some tokens are trained on. In every second batch they begin alike. */
function ragged(step: number): TrainingBatch {
  const random = testHost().random.stream(`batch ${step}`);
  const [rows, width] = [6, 40];
  const alike = (tokens: Int32Array, count: number) =>
    tokens.map((token, index) => (index % width < count ? tokens[index % width]! : token));
  const size = rows * width;
  const length = Int32Array.from({ length: rows }, (_, row) => width - 5 * row);
  const inside = (index: number) => index % width < length[Math.floor(index / width)]!;
  return {
    ...emptyBatch({ rows, width, temperature: 0.8 }),
    tokens: alike(
      Int32Array.from({ length: size }, (_, index) => (inside(index) ? random.integer(1, config.vocabularySize) : 0)),
      step % 2 === 0 ? 0 : 12,
    ),
    length,
    mask: Uint8Array.from({ length: size }, (_, index) => Number(inside(index) && index % width > 2 && index % 4 < 2)),
    weight: new Float64Array(size).fill(1 / rows / 20),
    logprobs: new Float64Array(size).fill(-Math.log(config.vocabularySize)),
    advantages: Float64Array.from({ length: size }, () => random.normal()),
  };
}

/** All trained weights, in the order of `trainableShapes`. */
async function weightsOf(core: EngineCore, settings: EngineSettings): Promise<Float32Array> {
  const block = new ParameterBlock(trainableShapes(config, settings));
  for (const [name, view] of block.views) view.set(await core.read(name, 0, view.length));
  return block.data;
}

/** Sampled rows as a batch. */
function playedBatch(rows: readonly { readonly prompt: readonly number[]; readonly tokens: readonly number[] }[]) {
  const width = Math.max(...rows.map(({ prompt, tokens }) => prompt.length + tokens.length));
  const batch = emptyBatch({ rows: rows.length, width, temperature: 1 });
  for (const [row, { prompt, tokens }] of rows.entries()) {
    batch.tokens.set([...prompt, ...tokens], row * width);
    batch.length[row] = prompt.length + tokens.length;
    batch.mask.fill(1, row * width + prompt.length, row * width + batch.length[row]);
  }
  return batch;
}

function settingsOf(engine: EngineName, precision: Precision): EngineSettings {
  return {
    engine,
    engineFolder,
    precision,
    config,
    valueHead: false,
    layered: false,
    sessionThreads: 2,
    microBatchTokens: 240,
    activationBytes: 1e8,
    cacheBytes: 1e8,
    samplingWeights: 'float32',
  };
}

function startOf(settings: EngineSettings): Float32Array {
  const start = new ParameterBlock(trainableShapes(config, settings));
  return start.fill(initializeParameters(config, settings, testHost().random.stream('parameters'))).data;
}

async function trainAndSample(engine: EngineName, precision: Precision = 'float32'): Promise<Trained> {
  const settings = settingsOf(engine, precision);
  const core = await EngineCore.create(settings, () => undefined);
  try {
    await core.setParameters(startOf(settings));
    await core.startStage({ name: 'muon', options: {} });
    const [losses, norms]: [number[], number[]] = [[], []];
    for (let step = 0; step < STEPS; step += 1) {
      const { terms } = await core.accumulate(ragged(step), loss);
      losses.push(terms['policy']! + terms['entropy']!);
      norms.push((await core.step([], { learningRate: 0.01, clipNorm: 1 })).gradientNorm);
    }
    const histories = new TokenHistories();
    const sample = async (temperature: number) => {
      const random = testHost().random.stream('requests');
      const requests = Array.from({ length: 5 }, (_, row) => ({
        sequence: `${temperature} ${row}`,
        tokens: Array.from({ length: 3 + 4 * row }, () => random.integer(1, config.vocabularySize)),
        endIds: [0],
        draws: Float64Array.from({ length: 24 }, () => 1 - random.uniform()),
        maxTokens: 24,
      }));
      const sampling: Sampling = { temperature, topP: 1, topK: 0, exact: false };
      const answers = unpackAnswers(await core.generate(packRequests(requests, histories), sampling));
      return answers.map((answer, row) => ({ ...answer, prompt: requests[row]!.tokens }));
    };
    const [greedy, drawn] = [await sample(0), await sample(1)];
    const played = playedBatch(drawn);
    const { logprobs } = await core.evaluate(played);
    return {
      losses,
      norms,
      greedy: greedy.map(({ tokens }) => tokens),
      drawn: drawn.map(({ tokens }) => tokens),
      logprobs: drawn.flatMap(({ logprobs }) => logprobs),
      trained: [...logprobs].filter((_, index) => played.mask[index] === 1),
    };
  } finally {
    await core.dispose();
  }
}

/** What each engine came to in float32, trained once for all tests. */
const trained = new Map<EngineName, Promise<Trained>>();
function inFloat32(engine: EngineName): Promise<Trained> {
  const training = trained.get(engine) ?? trainAndSample(engine);
  trained.set(engine, training);
  return training;
}

describe('engines agree', () => {
  // WebGPU is emulated by the processor where there is no GPU, which takes half a minute.
  const [first, ...others] = engines.filter((engine) => engine !== 'webgpu' || inject('long'));

  it.each(others)('after ten steps, in losses and sampled tokens: %s', { timeout: 180_000 }, async (engine) => {
    const [expected, got] = [await inFloat32(first!), await inFloat32(engine)];
    for (const name of ['losses', 'norms', 'logprobs'] as const) {
      for (const [index, x] of expected[name].entries()) {
        expect(Math.abs(got[name][index]! - x), `${name} ${index}`).toBeLessThan(1e-3 * Math.max(Math.abs(x), 0.01));
      }
    }
    expect(got.greedy).toEqual(expected.greedy);
    expect(got.drawn).toEqual(expected.drawn);
    expect(differenceOf(got.trained, got.logprobs)).toBeLessThan(1e-4);
  });
});

/** The largest difference. */
const differenceOf = (some: readonly number[], others: readonly number[]): number => {
  expect(some).toHaveLength(others.length);
  return Math.max(...some.map((x, index) => Math.abs(x - others[index]!)));
};

describe.runIf(engines.includes('tensorflow'))('products in bfloat16', () => {
  it('train like those in float32, to what 8 bits of a number let expect', async () => {
    const exact = await inFloat32('tensorflow');
    const rounded = await trainAndSample('tensorflow', 'bfloat16');
    // From the same weights. Later steps begin from others.
    for (const name of ['losses', 'norms'] as const) {
      const difference = Math.abs(rounded[name][0]! / exact[name][0]! - 1);
      expect(difference, name).toBeLessThan(0.02);
      expect(difference, name).toBeGreaterThan(1e-5);
    }
    expect(differenceOf(rounded.trained, rounded.logprobs)).toBeLessThan(0.03);
  });

  it('are of the weights as they are after every change', async () => {
    const settings = settingsOf('tensorflow', 'bfloat16');
    const [core, other] = [
      await EngineCore.create(settings, () => undefined),
      await EngineCore.create(settings, () => undefined),
    ];
    await core.setParameters(startOf(settings));
    const batch = ragged(0);
    // In the second round, nothing is compiled that would read all weights again.
    for (const round of [1, 2]) {
      await core.accumulate(batch, loss);
      await core.step([], { learningRate: 0.01 });
      const changed = await core.evaluate(batch);
      await other.setParameters(await weightsOf(core, settings));
      const { logprobs } = await other.evaluate(batch);
      expect(differenceOf([...changed.logprobs], [...logprobs]), `round ${round}`).toBeLessThan(1e-6);
    }
    await core.dispose();
    await other.dispose();
  });
});
