/** The reference is `Trainer`, which computes the same in one graph. */
import type { Loss, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, lossInputs as inputs, lossOperations as ops, testHost } from '@agentgym/cli/testing';
import { expect, inject, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor } from '../executors/executor.js';
import { withFacts } from '../executors/fixtures/with-facts.js';
import { grouped, partlyRotated, small, windowed } from '../generation/fixtures/small-models.js';
import type { ModelWeights } from '../generation/token-generator.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import {
  frozenShapes,
  initializeAdapter,
  initializeParameters,
  trainableShapes,
  type ParameterOptions,
} from '../model/parameters.js';
import { keptBytes } from '../model/layered-graphs.js';
import { packTokens } from '../model/pack-tokens.js';
import { gradientState } from '../model/training-graph.js';
import { LayeredTrainer } from './layered-trainer.js';
import { ParameterBlock } from './parameter-block.js';
import { Trainer } from './trainer.js';

const rows = 4;
const width = 290;

/**
 * Rows of several lengths, two in a micro-batch, with more sampled tokens than the head computes at a time.
 * @param common tokens with which every second row begins like the one before it; half of them are those of all rows
 */
function batchOf(config: DecoderConfig, common = 0): TrainingBatch {
  const random = testHost(4).random;
  const size = rows * width;
  const length = Int32Array.from({ length: rows }, (_, row) => width - 31 * row);
  const draw = (scale: number) => Float64Array.from({ length: size }, () => scale * random.normal());
  const tokens = Int32Array.from({ length: size }, () => random.integer(1, config.vocabularySize));
  for (let row = 1; row < rows; row += 1) {
    tokens.copyWithin(row * width, (row - 1) * width, (row - 1) * width + (row % 2 === 1 ? common : common / 2));
  }
  return {
    ...emptyBatch({ rows, width, temperature: 0.8 }),
    tokens,
    length,
    mask: Uint8Array.from({ length: size }, (_, i) =>
      Number(i % width > 3 && i % width < length[Math.floor(i / width)]! && i % 3 === 0),
    ),
    weight: draw(0.01),
    logprobs: draw(0.1).map((x) => x - 4),
    advantages: draw(1),
    returns: draw(1),
    group: Int32Array.from({ length: rows }, (_, row) => row),
  };
}

const ratio = ops.exp(ops.sub(inputs.logprob, inputs.logprobs));
const square = ops.mul(ops.sub(inputs.value, inputs.returns), ops.sub(inputs.value, inputs.returns));
const perToken: Loss = {
  terms: {
    policy: ops.mul(ratio, ops.sub(ops.constant(0), inputs.advantages)),
    entropy: ops.mul(ops.constant(-0.1), inputs.entropy),
  },
  metrics: { ratio },
};
const withValue: Loss = { terms: { ...perToken.terms, value: square } };
const perSequence: Loss = { terms: { policy: ops.exp(ops.sequenceMean(ops.sub(inputs.logprob, inputs.logprobs))) } };
const perPair: Loss = { terms: { pairs: ops.logsigmoid(ops.pairDifference(ops.sequenceSum(inputs.logprob))) } };

const adapter = { rank: 3, scale: 0.7, targets: ['self_attn.q_proj', 'self_attn.o_proj', 'mlp.down_proj'] } as const;

function weightsOf(executor: Executor, config: DecoderConfig, options: ParameterOptions): ModelWeights {
  const { random } = testHost(9);
  const matrices = initializeParameters(config, options, random);
  const factors = options.adapter
    ? initializeAdapter(config, options.adapter, matrices, random)
    : new Map<string, Float32Array>();
  // B is 0 at the start, where A has no gradient.
  for (const [name, data] of factors) {
    if (!name.includes('lora_B')) continue;
    data.forEach((_, index) => (data[index] = 0.1 * random.normal()));
  }
  const all = new Map([...matrices, ...factors]);
  const allocate = (shapes: ReturnType<typeof trainableShapes>) =>
    executor.allocate(shapes, new ParameterBlock(shapes).fill(all).data);
  const trainable = allocate(trainableShapes(config, options));
  return options.adapter ? { trainable, frozen: allocate(frozenShapes(config, options)) } : { trainable };
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

// Goes red when a layer reads the weights of another, a chunk of the head is left out or a gradient goes to another layer.
type Case = [string, DecoderConfig, ParameterOptions, Loss, common?: number];
const cases: Case[] = [
  ['all weights, a tied head', small, { valueHead: false }, perToken],
  ['all weights, a head of its own, a value head', grouped, { valueHead: true }, withValue],
  ['an adapter', grouped, { valueHead: false, adapter }, perToken],
  ['layers without rotary positions', partlyRotated, { valueHead: false }, perToken],
  ['sliding windows and an adapter', windowed, { valueHead: true, adapter }, withValue],
  ['DoRA', grouped, { valueHead: false, adapter: { ...adapter, dora: true } }, perToken],
  ['a loss over sequences', small, { valueHead: false, adapter }, perSequence],
  ['rows that begin alike, grouped queries and an adapter', grouped, { valueHead: false, adapter }, perToken, 240],
  ['pairs that begin alike', grouped, { valueHead: false, adapter }, perPair, 200],
];
/** Other pairs of what the cases above have. */
const longCases: Case[] = [
  ['an adapter and a value head', small, { valueHead: true, adapter }, withValue],
  ['sliding windows', windowed, { valueHead: false }, perToken],
  ['a loss over pairs', small, { valueHead: false, adapter }, perPair],
  ['rows that begin alike', small, { valueHead: false }, perToken, 150],
  ['rows that begin alike, sliding windows', windowed, { valueHead: true, adapter }, withValue, 200],
];
it.each(inject('long') ? [...cases, ...longCases] : cases)(
  'computes what one graph computes: %s',
  async (_, config, options, loss, common) => {
    const executor = await createExecutor({ threads: 1, log: () => undefined });
    const weights = weightsOf(executor, config, options);
    const batch = batchOf(config, common);
    const { attention } = packTokens(batch, [0, 1, 2, 3], config);
    expect(attention.shared === undefined).toBe(common === undefined);
    const results = [];
    const limits = { microBatchTokens: 640, activationBytes: 0 };
    for (const trainer of [
      new Trainer(executor, config, options, limits.microBatchTokens),
      new LayeredTrainer(executor, config, options, limits),
      // Keeps what it needs of the last layer; then of all.
      new LayeredTrainer(executor, config, options, { ...limits, activationBytes: keptBytes(config, options) * 640 }),
      new LayeredTrainer(executor, config, options, { ...limits, activationBytes: 1e9 }),
    ]) {
      const gradients = executor.allocate(
        new Map([...trainableShapes(config, options)].map(([name, shape]) => [gradientState(name), shape])),
      );
      const accumulated = await trainer.accumulate(weights, gradients, batch, loss);
      expect((await trainer.evaluate(weights, batch)).logprobs).toEqual(accumulated.logprobs);
      results.push({ accumulated, gradients });
      await trainer.dispose();
    }
    const [whole, layered, ...keeping] = results as [(typeof results)[number], (typeof results)[number]];
    for (const other of keeping as typeof results) {
      expect(other.accumulated).toEqual(layered.accumulated);
      expect(await other.gradients.readAll()).toEqual(await layered.gradients.readAll());
    }
    for (const name of ['logprobs', 'entropy', 'values'] as const) {
      const [a, b] = [whole.accumulated[name], layered.accumulated[name]];
      expect(b === undefined).toBe(a === undefined);
      if (a && b) expect(worst(a, b), name).toBeLessThan(1e-5);
    }
    for (const kind of ['terms', 'metrics'] as const) {
      for (const [name, sum] of Object.entries(whole.accumulated[kind])) {
        expect(layered.accumulated[kind][name]! / sum).toBeCloseTo(1, 4);
      }
    }
    for (const name of whole.gradients.shapes.keys()) {
      const [a, b] = [await whole.gradients.read(name), await layered.gradients.read(name)];
      const norm = Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
      expect(norm, name).toBeGreaterThan(0);
      expect(worst(a, b) / norm, name).toBeLessThan(1e-4);
    }
  },
);

it('computes the head of an adapter once for each part of the slots', async () => {
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  const options = { valueHead: false, adapter };
  const runs: string[] = [];
  const counting = withFacts(executor, {
    compile: async (program) => {
      const executable = await executor.compile(program);
      return {
        inputs: executable.inputs,
        outputs: executable.outputs,
        run: (...given) => {
          if (executable.inputs.has('targets')) runs.push([...executable.outputs.keys()].join());
          return executable.run(...given);
        },
        dispose: () => executable.dispose(),
      };
    },
  });
  const trainer = new LayeredTrainer(counting, grouped, options, { microBatchTokens: 1e6, activationBytes: 0 });
  const gradients = executor.allocate(
    new Map([...trainableShapes(grouped, options)].map(([name, shape]) => [gradientState(name), shape])),
  );
  const batch = batchOf(grouped);
  await trainer.accumulate(weightsOf(executor, grouped, options), gradients, batch, perSequence);
  const parts = Math.ceil(batch.mask.reduce((sum, bit) => sum + bit, 0) / 128);
  expect(runs).toEqual(Array(parts).fill('logprob,entropy,direction.logprob'));
  await trainer.dispose();
});
