/**
 * Tests the whole training graph. test/golden/models.test.ts compares its numbers with `transformers`.
 */
import { createHash } from 'node:crypto';

import type { Loss, Random, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, lossInputs as inputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor, HostArrays } from '../executors/executor.js';
import { ReferenceExecutor } from '../executors/fixtures/reference-executor.js';
import { stateOf } from '../executors/fixtures/state-of.js';
import type { Tensor } from '../operations/tensor.js';
import { causalMask } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { roundedSizes, packRows } from './pack-rows.js';
import { initializeParameters, parameterShapes, trainableShapes } from './parameters.js';
import { evaluationGraph, gradientState, termOutput, trainingGraph, type TrainingSizes } from './training-graph.js';

const config: DecoderConfig = {
  family: 'qwen3',
  vocabularySize: 300,
  hiddenSize: 64,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headWidth: 16,
  intermediateSize: 144,
  maxPositions: 64,
  rmsEpsilon: 1e-6,
  attentionKinds: [{ rope: { theta: 10000 } }],
  queryKeyValueBias: true,
  outputBias: true,
  mlpBias: true,
  queryKeyNorm: true,
  outputNorms: false,
  centeredNorms: false,
  activation: 'silu',
  embeddingScale: 1,
  tiedHead: true,
};
const options = { valueHead: true };
const rows = 5;
const width = 30;

const square = ops.mul(ops.sub(inputs.value, inputs.returns), ops.sub(inputs.value, inputs.returns));
const loss: Loss = {
  terms: {
    policy: ops.mul(ops.exp(ops.sub(inputs.logprob, inputs.logprobs)), ops.sub(ops.constant(0), inputs.advantages)),
    entropy: ops.mul(ops.constant(-0.1), inputs.entropy),
    value: square,
  },
};

const reads = ['logprobs', 'advantages', 'returns'] as const;

function makeBatch(random: Random): TrainingBatch {
  const size = rows * width;
  const draw = () => Float64Array.from({ length: size }, () => random.normal());
  const length = Int32Array.from({ length: rows }, (_, row) => width - 3 * row);
  const inside = (index: number) => index % width < length[Math.floor(index / width)]!;
  return {
    ...emptyBatch({ rows, width, temperature: 0.7 }),
    tokens: Int32Array.from({ length: size }, (_, index) =>
      inside(index) ? random.integer(1, config.vocabularySize) : 0,
    ),
    length,
    mask: Uint8Array.from({ length: size }, (_, index) => Number(inside(index) && index % width > 2 && index % 5 < 2)),
    turn: new Int32Array(size),
    weight: draw(),
    logprobs: draw().map((x) => x / 10 - 3.5),
    rewards: draw(),
    advantages: draw(),
    returns: draw(),
  };
}

let random: Random;
let batch: TrainingBatch;
let parameters: Map<string, Float32Array>;
const executors: Executor[] = [];
beforeAll(async () => {
  random = testHost().random;
  batch = makeBatch(random.stream('batch'));
  const initial = initializeParameters(config, options, random.stream('parameters'));
  parameters = new Map([...trainableShapes(config, options).keys()].map((name) => [name, initial.get(name)!]));
  for (const threads of [1, 2]) executors.push(await createExecutor({ threads, log: () => undefined }));
});

type Outputs = { readonly [name: string]: Float32Array };

async function run(
  outputs: { readonly [name: string]: Tensor },
  given: HostArrays,
  executor = executors[0]!,
): Promise<Outputs> {
  const executable = await executor.compile({ outputs });
  const got = await executable.run(given, { state: [stateOf(executor, parameters)] });
  await executable.dispose();
  return got as Outputs;
}

/** The training graph, with its gradients among the outputs. */
function trained(sizes: TrainingSizes): { readonly [name: string]: Tensor } {
  const { outputs, gradients } = trainingGraph(config, sizes, options, loss);
  return { ...outputs, ...gradients };
}

async function train(of: TrainingBatch, which: readonly number[], threads = 1): Promise<Outputs> {
  const packed = packRows(of, which, config, { reads });
  return run(trained(packed.sizes), packed.inputs, executors[threads - 1]);
}

/** Each output's bits, for comparison. */
const bits = (outputs: Outputs) =>
  Object.entries(outputs).map(([name, data]) => `${name} ${createHash('md5').update(data).digest('hex')}`);
const all = [0, 1, 2, 3, 4];
/** Whether an output is a sum over slots. */
const isSum = (name: string) => /^(term|gradient)[:.]/.test(name);
const worst = (a: Float32Array, b: ArrayLike<number>) =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

describe('the training graph', () => {
  // Goes red when one lowering is wrong, or when a product is merged with the wrong sum.
  it('gives what the reference backend computes in float64, in every output and gradient', async () => {
    const packed = packRows(batch, all, config, { reads });
    const expected = await run(trained(packed.sizes), packed.inputs, new ReferenceExecutor());
    const got = await train(batch, all);
    expect(Object.keys(got)).toEqual(Object.keys(expected));
    for (const [name, data] of Object.entries(got)) {
      const largest = expected[name]!.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      expect(worst(data, expected[name]!), name).toBeLessThan(3e-6 * Math.max(1, largest));
    }
  });

  // Goes red when `isTurned` always answers false.
  it('gives the same bits at one thread and at two, and each time', async () => {
    const once = bits(await train(batch, all, 1));
    expect(bits(await train(batch, all, 1))).toEqual(once);
    expect(bits(await train(batch, all, 2))).toEqual(once);
  });

  // Goes red when a block sees keys after its end, or misses earlier ones.
  it.each([2, 4])('computes the same in %i blocks of queries', async (blocks) => {
    // One row: rows of several sequences are never computed in blocks.
    const { sizes, inputs: whole } = packRows(batch, [0], config, { reads });
    expect(sizes).toMatchObject({ rows: 1, width: 32, blocks: 1 });
    const group = config.heads / config.keyValueHeads;
    const given = { ...whole, bias: causalMask(32, group, blocks) };
    const inBlocks = await run(trained({ ...sizes, blocks }), given);
    for (const [name, data] of Object.entries(await train(batch, [0]))) {
      expect(worst(inBlocks[name]!, data), name).toBeLessThan(2e-5);
    }
  });

  it('has the slope of its loss in every parameter', async () => {
    const packed = packRows(batch, all, config, { reads });
    const [executor] = executors as [Executor];
    const executable = await executor.compile({ outputs: trained(packed.sizes) });
    const at = (moved: Map<string, Float32Array>) =>
      executable.run(packed.inputs, { state: [stateOf(executor, moved)] });
    const total = async (moved: Map<string, Float32Array>) => {
      const got = await at(moved);
      return Object.keys(loss.terms).reduce((sum, name) => sum + got[termOutput(name)]![0]!, 0);
    };
    const got = await at(parameters);
    for (const name of parameterShapes(config, options).keys()) {
      const gradient = got[gradientState(name)] as Float32Array;
      const norm = Math.sqrt(gradient.reduce((sum, x) => sum + x * x, 0));
      expect(norm, name).toBeGreaterThan(0);
      // Along the gradient, the slope is the norm of the gradient.
      const step = 0.01;
      const along = (by: number) => {
        const data = parameters.get(name)!.map((x, i) => x + (by * gradient[i]!) / norm);
        return total(new Map(parameters).set(name, data));
      };
      const slope = ((await along(step)) - (await along(-step))) / (2 * step);
      expect(Math.abs(slope - norm), `${name}: ${slope}, not ${norm}`).toBeLessThan(0.01 * norm + 2e-3);
    }
    await executable.dispose();
  });

  it('adds up over rows, in any split and order', async () => {
    const whole = await train(batch, all);
    const parts = [await train(batch, [3, 1]), await train(batch, [4, 0, 2])];
    for (const name of Object.keys(whole).filter(isSum)) {
      const sum = whole[name]!.map((_, i) => parts[0]![name]![i]! + parts[1]![name]![i]!);
      expect(worst(whole[name]!, sum), name).toBeLessThan(2e-4);
    }
  });

  it('reads nothing where the mask is 0 but the tokens before it', async () => {
    const spoil = (array: Float64Array) => array.map((x, i) => (batch.mask[i] === 1 ? x : NaN));
    const spoilt = {
      ...batch,
      weight: spoil(batch.weight),
      advantages: spoil(batch.advantages),
      logprobs: spoil(batch.logprobs),
    };
    const after = Array.from({ length: rows }, (_, row) => batch.mask.lastIndexOf(1, (row + 1) * width - 1));
    const tokens = batch.tokens.map((id, i) => (i > after[Math.floor(i / width)]! ? 299 : id));
    expect(bits(await train({ ...spoilt, tokens }, all))).toEqual(bits(await train(batch, all)));
  });

  it('without a sampled token is 0, not NaN', async () => {
    const got = await train({ ...batch, mask: new Uint8Array(batch.mask.length) }, all);
    for (const [name, data] of Object.entries(got)) {
      if (isSum(name))
        expect(
          data.every((x) => x === 0),
          name,
        ).toBe(true);
    }
  });

  it('is the evaluation graph with a loss', async () => {
    const packed = packRows(batch, all, config);
    const evaluated = await run(evaluationGraph(config, packed.sizes, options), packed.inputs);
    const trained = await train(batch, all);
    for (const name of ['logprob', 'entropy', 'value']) expect(trained[name]).toEqual(evaluated[name]);
  });
});

describe('packed rows', () => {
  // Goes red when one row is rounded up to two, which doubles the work for long sequences.
  it('have room for what there is, waste an eighth at most, and no row if there are few', () => {
    for (let size = 1; size < 9000; size += 7) {
      const each = { episodes: size, rows: size, width: size, slots: size, points: size, asks: size };
      const sizes = { ...each, shared: false };
      const { blocks, shared: _, ...rounded } = roundedSizes(sizes);
      for (const got of Object.values(rounded)) {
        expect(got).toBeGreaterThanOrEqual(size);
        expect(got).toBeLessThan(Math.max(size * 1.125 + 1, size + 8));
      }
      if (size < 16) expect(rounded.rows).toBe(size);
      expect(rounded.width % blocks).toBe(0);
      expect(roundedSizes(sizes, 2).episodes % 2).toBe(0);
    }
  });

  it('refuse a sampled first token', () => {
    expect(() => packRows({ ...batch, mask: new Uint8Array(batch.mask.length).fill(1) }, [0], config)).toThrow(
      /first token of row 0/,
    );
  });

  // Goes red when a column with a number per row is read as one per token.
  it('hold the columns that a loss reads, also those with a number per row, and no others', () => {
    const truncated = Uint8Array.of(0, 1, 0, 1, 0);
    const { inputs: packed, indices } = packRows({ ...batch, truncated }, [1, 4], config, {
      reads: ['advantages', 'truncated'],
    });
    const slots = [...indices.entries()];
    expect(slots.some(([, index]) => Math.floor(index / width) === 4)).toBe(true);
    for (const [slot, index] of slots) {
      expect(packed['advantages']![slot]).toBe(Math.fround(batch.advantages[index]!));
      expect(packed['truncated']![slot]).toBe(truncated[Math.floor(index / width)]);
    }
    expect(packed['returns']).toBeUndefined();
    expect(() => packRows(batch, [1], config, { reads: ['referenceLogprobs'] })).toThrow('`referenceLogprobs`');
  });
});
