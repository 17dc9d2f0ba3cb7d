import type { Loss, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, lossInputs as inputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { packRows } from '../model/pack-rows.js';
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

/** One row of this many tokens; every seventh is sampled. */
function longRow(config: DecoderConfig, width: number): TrainingBatch {
  const { random } = testHost();
  return {
    ...emptyBatch({ rows: 1, width, temperature: 1 }),
    tokens: Int32Array.from({ length: width }, () => random.integer(1, config.vocabularySize)),
    length: Int32Array.of(width),
    mask: Uint8Array.from({ length: width }, (_, t) => Number(t % 7 === 6)),
    weight: new Float64Array(width).fill(1 / width),
    advantages: Float64Array.from({ length: width }, () => random.normal()),
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
  const batch = longRow(config, width);
  const packed = packRows(batch, [0], config, ['advantages']);
  expect(packed.sizes).toMatchObject({ rows: 1, blocks });
  const { outputs, gradients: slopes } = trainingGraph(config, { ...packed.sizes, blocks: 1 }, options, loss);
  const whole = await executor.compile({ outputs: { ...outputs, ...slopes } });
  const expected = await whole.run(packed.inputs, { state: [weights.trainable] });

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
