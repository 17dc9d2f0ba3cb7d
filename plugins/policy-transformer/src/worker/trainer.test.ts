import type { Loss, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, lossInputs as inputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import { withFacts } from '../executors/fixtures/with-facts.js';
import type { HostArrays } from '../executors/executor.js';
import { MASKED, maskInput, rowMasks } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { packRows } from '../model/pack-rows.js';
import { placeApart } from '../model/place-rows.js';
import { initializeParameters, trainableShapes } from '../model/parameters.js';
import { gradientState, trainingGraph } from '../model/training-graph.js';
import { ParameterBlock } from './parameter-block.js';
import { Trainer } from './trainer.js';

const plain: DecoderConfig = {
  family: 'qwen3',
  vocabularySize: 60,
  hiddenSize: 32,
  layers: 3,
  heads: 4,
  keyValueHeads: 2,
  headWidth: 8,
  intermediateSize: 48,
  maxPositions: 1200,
  rmsEpsilon: 1e-6,
  attentionKinds: [{ rope: { theta: 10_000 } }],
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
/** Windows longer and shorter than a block, the second in the last layer. */
const windowed: DecoderConfig = {
  ...plain,
  attentionKinds: [{ rope: { theta: 10_000 }, window: 200 }, {}, { rope: { theta: 100 }, window: 20 }],
  attentionOfLayer: [0, 1, 2],
};
const options = { valueHead: false };
const loss: Loss = { terms: { policy: ops.mul(ops.sub(ops.constant(0), inputs.advantages), inputs.logprob) } };

/** A row for each number of tokens; every seventh is sampled. */
function rowsOf(config: DecoderConfig, lengths: readonly number[]): TrainingBatch {
  const { random } = testHost();
  const width = Math.max(...lengths);
  const size = lengths.length * width;
  const isSampled = (index: number) => index % width < lengths[Math.floor(index / width)]! && (index % width) % 7 === 6;
  return {
    ...emptyBatch({ rows: lengths.length, width, temperature: 1 }),
    tokens: Int32Array.from({ length: size }, () => random.integer(1, config.vocabularySize)),
    length: Int32Array.from(lengths),
    mask: Uint8Array.from({ length: size }, (_, index) => Number(isSampled(index))),
    weight: new Float64Array(size).fill(1 / width),
    advantages: Float64Array.from({ length: size }, () => random.normal()),
  };
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

// One session of open sizes for each number of blocks, beside a graph of these sizes with whole attention.
it.each<[string, number, number, DecoderConfig]>([
  ['one kind of attention', 300, 2, plain],
  ['one kind of attention', 700, 4, plain],
  ['one kind of attention', 1100, 8, plain],
  ['windows', 700, 4, windowed],
])('%s: trains on %i tokens, in %i blocks, as whole attention does', async (_, width, blocks, config) => {
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  const shapes = trainableShapes(config, options);
  const { data: start } = new ParameterBlock(shapes).fill(initializeParameters(config, options, testHost().random));
  const weights = { trainable: executor.allocate(shapes, start) };
  const batch = rowsOf(config, [width]);
  const packed = packRows(batch, [0], config, { reads: ['advantages'] });
  expect(packed.sizes).toMatchObject({ rows: 1, blocks });
  const { outputs, gradients: slopes } = trainingGraph(config, { ...packed.sizes, blocks: 1 }, options, loss);
  const whole = await executor.compile({ outputs: { ...outputs, ...slopes } });
  const layout = placeApart([width - 1], packed.sizes.width);
  const masked = () => new Float32Array(2 * layout.width ** 2).fill(MASKED);
  const masks = config.attentionKinds.map(({ window }) => [maskInput(window), rowMasks(layout, 2, masked(), window)]);
  const given = { ...packed.inputs, ...(Object.fromEntries(masks) as HostArrays) };
  const expected = await whole.run(given, { state: [weights.trainable] });

  const trainer = new Trainer(executor, config, options, 2048);
  const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
  const { logprobs } = await trainer.accumulate(weights, gradients, batch, loss);
  const sampled = [...packed.indices].map((index) => logprobs[index]!);
  expect(worst(sampled, expected['logprob']!)).toBeLessThan(1e-5);
  for (const name of gradients.shapes.keys()) {
    const data = await gradients.read(name);
    expect(worst(data, expected[name]!), name).toBeLessThan(1e-6);
    expect(Math.max(...data.map(Math.abs)), name).toBeGreaterThan(1e-5);
  }
  expect((await trainer.evaluate(weights, batch)).logprobs).toEqual(logprobs);
  await trainer.dispose();
  await whole.dispose();
});

/** A loss that compares tokens, sequences and pairs of sequences. */
const ofPairs: Loss = {
  terms: {
    ...loss.terms,
    sequences: ops.exp(ops.sequenceMean(inputs.logprob)),
    pairs: ops.logsigmoid(ops.pairDifference(ops.sequenceSum(inputs.logprob))),
  },
};

// Goes red when a token sees one of another sequence in its row, or has the position of its place.
it.each([
  ['one kind of attention', plain],
  ['windows', windowed],
])('%s: trains on sequences that share rows as on each in a row of its own', async (_, config) => {
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  const shapes = trainableShapes(config, options);
  const { data: start } = new ParameterBlock(shapes).fill(initializeParameters(config, options, testHost().random));
  const weights = { trainable: executor.allocate(shapes, start) };
  const lengths = [20, 35, 64, 7, 30, 28, 27, 14, 50, 36];
  const batch = rowsOf(config, lengths);
  const { sizes } = packRows(batch, [...lengths.keys()], config);
  expect(sizes.rows).toBeLessThan(lengths.length - 3);

  const accumulate = async (tokens: number) => {
    const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
    const trainer = new Trainer(executor, config, options, tokens);
    const results = await trainer.accumulate(weights, gradients, batch, ofPairs);
    const { logprobs } = await trainer.evaluate(weights, batch);
    expect(worst(logprobs, results.logprobs)).toBeLessThan(1e-5);
    await trainer.dispose();
    return { ...results, gradients };
  };
  const shared = await accumulate(1000);
  // A pair is the least that a micro-batch can have, and no two sequences of a pair fit in a row here.
  const apart = await accumulate(1);
  expect(worst(shared.logprobs, apart.logprobs)).toBeLessThan(1e-5);
  for (const [name, value] of Object.entries(apart.terms)) {
    expect(Math.abs(value), name).toBeGreaterThan(0.005);
    expect(shared.terms[name], name).toBeCloseTo(value, 4);
  }
  for (const name of shared.gradients.shapes.keys()) {
    const expected = await apart.gradients.read(name);
    expect(Math.max(...expected.map(Math.abs)), name).toBeGreaterThan(1e-3);
    expect(worst(await shared.gradients.read(name), expected), name).toBeLessThan(1e-5);
  }
});

it('gives back the memory of sessions when a stage ends, and computes the same again', async () => {
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  let held = 0;
  const counted = withFacts(executor, {
    compile: async (program) => {
      const made = await executor.compile(program);
      held += 1;
      return {
        inputs: made.inputs,
        outputs: made.outputs,
        run: (...given) => made.run(...given),
        dispose: async () => {
          held -= 1;
          await made.dispose();
        },
      };
    },
  });
  const shapes = trainableShapes(plain, options);
  const { data: start } = new ParameterBlock(shapes).fill(initializeParameters(plain, options, testHost().random));
  const weights = { trainable: executor.allocate(shapes, start) };
  const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
  const batch = rowsOf(plain, [30, 40]);
  const trainer = new Trainer(counted, plain, options, 1000);
  const { logprobs } = await trainer.accumulate(weights, gradients, batch, loss);
  await trainer.evaluate(weights, batch);
  expect(held).toBe(2);
  await trainer.endStage();
  expect(held).toBe(0);
  expect((await trainer.accumulate(weights, gradients, batch, loss)).logprobs).toEqual(logprobs);
  await trainer.dispose();
});

/** Rows of which several begin alike, some are equal, and some differ in a sampled token only. No pair begins alike. */
function rowsAlike(config: DecoderConfig): TrainingBatch {
  const batch = rowsOf(config, [50, 36, 43, 30, 57, 22, 50, 36, 29, 30, 64, 64, 50, 36, 50, 30]);
  const { width } = batch;
  const tokens = batch.tokens.slice();
  // Row 2, 4, ... begin as row 0 does, the others as row 1: up to a token that is sampled, or one that is not.
  for (const [row, count] of [
    ...([12, 6, 13, 13, 20, 9, 49, 35, 28, 15, 41, 34, 50, 36, 48, 27] as const).entries(),
  ].slice(2)) {
    const first = (row % 2) * width;
    tokens.set(batch.tokens.subarray(first, first + count), row * width);
  }
  return { ...batch, tokens };
}

/** Every live quantity, and a loss that compares sequences and pairs. */
const ofAll: Loss = {
  terms: {
    ...ofPairs.terms,
    entropy: ops.mul(ops.constant(-0.1), inputs.entropy),
    value: ops.mul(ops.sub(inputs.value, inputs.advantages), ops.sub(inputs.value, inputs.advantages)),
  },
};

// Goes red when a position is shared by sequences with different tokens before it, or when a derivative reaches a shared
// position from one of its tokens only.
it.each([
  ['one kind of attention', plain],
  ['windows', { ...windowed, outputBias: true }],
])('%s: trains on sequences that share their beginnings as on each by itself', async (_, config) => {
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  const withValue = { valueHead: true };
  const shapes = trainableShapes(config, withValue);
  const { data: start } = new ParameterBlock(shapes).fill(initializeParameters(config, withValue, testHost().random));
  const weights = { trainable: executor.allocate(shapes, start) };
  const batch = rowsAlike(config);
  const { sizes } = packRows(batch, [...Array(batch.rows).keys()], config);
  expect(sizes.shared).toBe(true);
  expect(sizes.points).toBeLessThan(0.75 * sizes.slots);
  expect(packRows(batch, [0, 1], config).sizes.shared).toBe(false);

  const accumulate = async (tokens: number) => {
    const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
    const trainer = new Trainer(executor, config, withValue, tokens);
    const results = await trainer.accumulate(weights, gradients, batch, ofAll);
    const evaluated = await trainer.evaluate(weights, batch);
    expect(worst(evaluated.logprobs, results.logprobs)).toBeLessThan(1e-5);
    await trainer.dispose();
    return { ...results, gradients };
  };
  const shared = await accumulate(2000);
  // Each micro-batch is a pair, whose sequences begin differently.
  const apart = await accumulate(1);
  for (const name of ['logprobs', 'entropy', 'values'] as const) {
    expect(worst(shared[name]!, apart[name]!), name).toBeLessThan(1e-5);
  }
  for (const [name, value] of Object.entries(apart.terms)) {
    expect(Math.abs(value), name).toBeGreaterThan(0.005);
    expect(shared.terms[name], name).toBeCloseTo(value, 3);
  }
  for (const name of shared.gradients.shapes.keys()) {
    const expected = await apart.gradients.read(name);
    const largest = Math.max(...expected.map(Math.abs));
    expect(largest, name).toBeGreaterThan(1e-3);
    expect(worst(await shared.gradients.read(name), expected), name).toBeLessThan(1e-5 * Math.max(1, largest));
  }
});

/** An executor without memory for more than so many tokens in a run. */
async function withLittleMemory(most: number) {
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  return withFacts(executor, {
    compile: async (program) => {
      const executable = await executor.compile(program);
      return {
        ...{ inputs: executable.inputs, outputs: executable.outputs },
        dispose: () => executable.dispose(),
        run: async (given, runOptions) => {
          const tokens = given['tokens']!.length;
          if (tokens > most) throw new Error(`RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[${tokens},32]`);
          return executable.run(given, runOptions);
        },
      };
    },
  });
}

it('halves a micro-batch that the memory does not hold, once', async () => {
  const batch = rowsOf(plain, [40, 40, 40, 40]);
  const train = async (most: number) => {
    const executor = await withLittleMemory(most);
    const shapes = trainableShapes(plain, options);
    const { data: start } = new ParameterBlock(shapes).fill(initializeParameters(plain, options, testHost().random));
    const weights = { trainable: executor.allocate(shapes, start) };
    const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
    const trainer = new Trainer(executor, plain, options, 2048);
    const { terms } = await trainer.accumulate(weights, gradients, batch, loss);
    const { logprobs } = await trainer.evaluate(weights, batch);
    await trainer.dispose();
    return { loss: terms['policy']!, logprobs, gradient: await gradients.readAll() };
  };
  const expected = await train(Infinity);
  const got = await train(100);
  expect(worst(got.gradient, expected.gradient)).toBeLessThan(1e-6);
  expect(worst(got.logprobs, expected.logprobs)).toBeLessThan(1e-6);
  expect(got.loss).toBeCloseTo(expected.loss, 6);
  await expect(train(50)).rejects.toThrow(/no memory left\. Lower policy\.options\.microBatchTokens\. \(RESOURCE/);
});
