/**
 * Compares the engines: every operation with its derivatives, twenty training steps, and sampled tokens. The first engine
 * is the native one, which other tests compare with a reference in float64. Goes red when one lowering of an engine is
 * wrong.
 */
import type { Loss, Sampling, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, lossInputs as inputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { DecoderConfig } from '../model/decoder-config.js';
import { initializeParameters, trainableShapes } from '../model/parameters.js';
import { computeValue, derivatives, errorsOfDerivative, values } from '../operations/fixtures/operation-cases.js';
import type { Tensor } from '../operations/tensor.js';
import { EngineCore, type EngineSettings } from '../worker/engine-core.js';
import { packRequests, unpackAnswers } from '../worker/packed-requests.js';
import { ParameterBlock } from '../worker/parameter-block.js';
import { TokenHistories } from '../worker/token-histories.js';
import { createExecutor, type EngineName } from './create-executor.js';
import type { Executor } from './executor.js';
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
const STEPS = 20;

describe.each(engines)('%s', (engine) => {
  let executor: Executor;
  beforeAll(async () => {
    executor = await createExecutor({ engine, engineFolder, threads: 2, log: () => undefined });
  });
  afterAll(() => executor.dispose());

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
      for (const [number, derivative] of cases.entries()) {
        const errors = await errorsOfDerivative(derivative, 100 * number, once);
        for (const [output, error] of errors) expect(error, `${name}, case ${number}, ${output}`).toBeLessThan(2e-6);
      }
    }
    for (const [name, cases] of Object.entries(values)) {
      for (const one of cases) {
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
}

const loss: Loss = {
  terms: {
    policy: ops.mul(ops.exp(ops.sub(inputs.logprob, inputs.logprobs)), ops.sub(ops.constant(0), inputs.advantages)),
    entropy: ops.mul(ops.constant(-0.01), inputs.entropy),
  },
};

/** Rows of different lengths, of which some tokens are trained on. */
function ragged(step: number): TrainingBatch {
  const random = testHost().random.stream(`batch ${step}`);
  const [rows, width] = [6, 40];
  const size = rows * width;
  const length = Int32Array.from({ length: rows }, (_, row) => width - 5 * row);
  const inside = (index: number) => index % width < length[Math.floor(index / width)]!;
  return {
    ...emptyBatch({ rows, width, temperature: 0.8 }),
    tokens: Int32Array.from({ length: size }, (_, index) =>
      inside(index) ? random.integer(1, config.vocabularySize) : 0,
    ),
    length,
    mask: Uint8Array.from({ length: size }, (_, index) => Number(inside(index) && index % width > 2 && index % 4 < 2)),
    weight: new Float64Array(size).fill(1 / rows / 20),
    logprobs: new Float64Array(size).fill(-Math.log(config.vocabularySize)),
    advantages: Float64Array.from({ length: size }, () => random.normal()),
  };
}

async function trainAndSample(engine: EngineName): Promise<Trained> {
  const settings: EngineSettings = {
    engine,
    engineFolder,
    config,
    valueHead: false,
    layered: false,
    sessionThreads: 2,
    microBatchTokens: 240,
    activationBytes: 1e8,
    cacheBytes: 1e8,
    samplingWeights: 'float32',
  };
  const core = await EngineCore.create(settings, () => undefined);
  try {
    const start = new ParameterBlock(trainableShapes(config, settings));
    start.fill(initializeParameters(config, settings, testHost().random.stream('parameters')));
    await core.setParameters(start.data);
    await core.resetOptimizer({ name: 'muon', options: {} });
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
      return unpackAnswers(await core.generate(packRequests(requests, histories), sampling));
    };
    const [greedy, drawn] = [await sample(0), await sample(1)];
    return {
      losses,
      norms,
      greedy: greedy.map(({ tokens }) => tokens),
      drawn: drawn.map(({ tokens }) => tokens),
      logprobs: drawn.flatMap(({ logprobs }) => logprobs),
    };
  } finally {
    await core.dispose();
  }
}

describe('engines agree', () => {
  const [first, ...others] = engines;
  let expected: Trained;
  beforeAll(async () => {
    expected = await trainAndSample(first!);
  });

  // WebGPU is emulated by the processor where there is no GPU.
  it.each(others)('after twenty steps, in losses and sampled tokens: %s', { timeout: 180_000 }, async (engine) => {
    const got = await trainAndSample(engine);
    for (const name of ['losses', 'norms', 'logprobs'] as const) {
      for (const [index, x] of expected[name].entries()) {
        expect(Math.abs(got[name][index]! - x), `${name} ${index}`).toBeLessThan(1e-3 * Math.max(Math.abs(x), 0.01));
      }
    }
    expect(got.greedy).toEqual(expected.greedy);
    expect(got.drawn).toEqual(expected.drawn);
  });
});
