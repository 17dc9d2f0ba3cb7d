import { expect, it } from 'vitest';

import { copyBytes } from '../generation/quantized-weights.js';
import { keptBytes } from '../model/layered-graphs.js';
import { PROJECTIONS, trainableShapes, type Adapter } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import { countMemory, type CountedSettings } from './count-memory.js';

const config = presetConfig('mini', 300, 128);
const TOKENS = 512;

/** A model that is computed as if it were large. */
const layered: CountedSettings = {
  config,
  parts: { valueHead: false },
  cores: { count: 1, layered: true, returnsMemory: true },
  isWasm: false,
  microBatchTokens: TOKENS,
  activationBytes: 0,
  cacheBytes: 1e8,
  samplingWeights: 'float32',
  load: {
    sequences: 16,
    conversations: [],
    turns: 5,
    actionTokens: 8,
    rows: 64,
    evaluates: false,
    references: 0,
    samplings: [{ temperature: 1, topP: 1, topK: 0 }],
    optimizers: [{ name: 'adamw', options: {} }],
  },
  lengths: { longest: 128, usual: 100, sampled: 45 },
};

const activationsOf = async (activationBytes: number): Promise<number> =>
  (await countMemory({ ...layered, activationBytes }))['activations']!;

it('counts what layers keep for the backward pass, as far as it is allowed', async () => {
  const ofLayer = keptBytes(config, layered.parts) * TOKENS;
  const none = await activationsOf(0.9 * ofLayer);
  expect(none).toBe(await activationsOf(0));
  const two = await activationsOf(2 * ofLayer);
  const all = await activationsOf(1e9);
  // A layer that keeps also has outputs of that size at its peak.
  expect(two - none).toBeGreaterThanOrEqual(ofLayer);
  expect(all - two).toBe((config.layers - 2) * ofLayer);
});

it('adds up what programs keep, where they do not give it back', async () => {
  const cores = { ...layered.cores, returnsMemory: false };
  const kept = (await countMemory({ ...layered, cores }))['activations'];
  expect(kept).toBeGreaterThan(await activationsOf(0));
});

// Goes red when the batch of episodes that begin alike is not laid out as one.
it('counts a second program for episodes that begin alike', async () => {
  const small: CountedSettings = {
    ...layered,
    cores: { count: 1, layered: false, returnsMemory: false },
    microBatchTokens: 2048,
  };
  const activations = async (longest: number, rows: number) => {
    const lengths = { longest, usual: longest, sampled: 45 };
    return (await countMemory({ ...small, lengths, load: { ...small.load, rows } }))['activations']!;
  };
  // One episode by itself begins like no other. Each program has the gradients of all weights.
  expect((await activations(120, 2)) / (await activations(120, 1))).toBeGreaterThan(2);
});

it('counts the copy that sampling uses, and the weights of evaluations beside it', async () => {
  const sampled = async (changes: Partial<CountedSettings>) =>
    (await countMemory({ ...layered, ...changes }))['sampling']!;
  const float32 = await sampled({});
  const [int8, int4] = [await sampled({ samplingWeights: 'int8' }), await sampled({ samplingWeights: 'int4' })];
  expect(int8 - int4).toBeGreaterThanOrEqual(copyBytes(config, 'int8') - copyBytes(config, 'int4'));
  const [sampling] = layered.load.samplings;
  const evaluated = { ...layered.load, samplings: [sampling!, { ...sampling!, exact: true }] };
  const both = await sampled({ samplingWeights: 'int8', load: evaluated });
  expect(both).toBeGreaterThan(Math.max(int8, float32));
  expect(await sampled({ load: evaluated })).toBe(float32);
});

it('counts adapters, and the lengths of rows that DoRA computes', async () => {
  const adapter: Adapter = { rank: 4, scale: 2, targets: PROJECTIONS, dora: false };
  const of = (changes: Partial<Adapter>) =>
    countMemory({ ...layered, parts: { valueHead: false, adapter: { ...adapter, ...changes } } });
  const [lora, dora, wide] = [await of({}), await of({ dora: true }), await of({ rank: 8 })];
  expect(wide['optimizer']!).toBeGreaterThan(lora['optimizer']!);
  expect(dora['weights']!).toBeGreaterThan(lora['weights']!);
});

it('counts moments by the type in which they are kept', async () => {
  const of = async (stateDtype: string) => {
    const load = { ...layered.load, optimizers: [{ name: 'adamw', options: { stateDtype } }] };
    return (await countMemory({ ...layered, load }))['optimizer']!;
  };
  const numbers = totalElements(trainableShapes(config, layered.parts));
  expect((await of('float32')) - (await of('bfloat16'))).toBe(2 * 2 * numbers);
});

it('counts the constants of a model that only samples', async () => {
  const large = { ...config, vocabularySize: 100_000, hiddenSize: 320, layers: 1 };
  const load = { ...layered.load, rows: 0, optimizers: [] };
  const of = async (samplesOnly: boolean) =>
    (await countMemory({ ...layered, config: large, load, samplesOnly }))['sampling']!;
  const weights = 4 * totalElements(trainableShapes(large, layered.parts));
  expect((await of(true)) - (await of(false))).toBeGreaterThan(weights);
});
