import type { Loss, PolicyLoad } from '@agentgym/cli';
import { describe, expect, it } from 'vitest';

import { countPeak } from '../graph/fixtures/count-peak.js';
import { Graph } from '../graph/graph.js';
import { decodeGraph } from '../generation/decode-graph.js';
import { copyBytes } from '../generation/quantized-weights.js';
import type { PackedSizes } from '../model/attention.js';
import { queryBlocks } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { keptBytes, layerGradientPart, layerPart, type GraphPart } from '../model/layered-graphs.js';
import { PROJECTIONS, trainableShapes, type ParameterOptions } from '../model/parameters.js';
import { rotaryTables } from '../model/rotary-tables.js';
import { evaluationGraph, trainingGraph, type TrainingSizes } from '../model/training-graph.js';
import { totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import {
  decodingNumbers,
  layerNumbers,
  longestEpisodes,
  memoryAtCaps,
  trainingNumbers,
  type MemorySettings,
} from './memory-at-caps.js';

const loss: Loss = {
  terms: { policy: { op: 'mul', left: { op: 'batch', name: 'advantages' }, right: { op: 'live', name: 'logprob' } } },
};
const nano = presetConfig('nano', 500, 2048);
const families: { readonly [name: string]: DecoderConfig } = {
  nano,
  mini: presetConfig('mini', 2000, 2048),
  'grouped queries': { ...nano, keyValueHeads: 2 },
  'norms of heads, as in Qwen3': { ...nano, queryKeyNorm: true },
  'norms of outputs and GELU, as in Gemma 3': { ...nano, outputNorms: true, activation: 'gelu-tanh' },
};
const whole: ParameterOptions = { valueHead: true };
const adapted: ParameterOptions = { valueHead: false, adapter: { rank: 8, scale: 2, targets: PROJECTIONS } };
const dora: ParameterOptions = { valueHead: false, adapter: { ...adapted.adapter!, dora: true } };

/** Rows of a width of which a share is sampled. */
function sizesOf(rows: number, width: number, share: number): TrainingSizes {
  const asks = 8 * Math.ceil((share * width) / 8);
  const slots = rows * asks;
  return { episodes: rows, rows, width, slots, points: slots, asks, shared: false, blocks: queryBlocks(width) };
}

describe.each(Object.entries(families))('the closed form of %s', (_, config) => {
  // Goes red when a tensor more is kept for the backward pass, or when the formula counts one too many.
  it.each([
    [32, 64, 0.1],
    [32, 64, 0.9],
    [8, 248, 0.5],
    [2, 1024, 0.1],
    [1, 2048, 0.9],
  ])('holds what a graph of %i rows of %i tokens, %f sampled, needs, and little more', (rows, width, share) => {
    const sizes = sizesOf(rows, width, share);
    const batch = { tokens: rows * width, width, sequences: rows, slots: sizes.slots, asks: sizes.asks };
    for (const parts of [whole, adapted, dora]) {
      const { outputs, gradients } = trainingGraph(config, sizes, parts, loss);
      const counted = countPeak([...Object.values(outputs), ...Object.values(gradients)]);
      // The last layer computes only what is asked.
      const closed = trainingNumbers(config, parts, batch);
      expect(closed / counted).toBeGreaterThan(1);
      expect(closed / counted).toBeLessThan(1.75);
      const evaluated = countPeak(Object.values(evaluationGraph(config, sizes, parts)));
      expect(trainingNumbers({ ...config, layers: 1 }, parts, batch)).toBeGreaterThan(evaluated);
    }
  });

  it.each<[Omit<PackedSizes, 'tokens'>, number]>([
    [{ rows: 16, width: 128, blocks: 1 }, 2048],
    [{ rows: 32, width: 128, blocks: 1 }, 2048],
    [{ rows: 2, width: 1024, blocks: 8 }, 2048],
    [{ rows: 64, width: 104, blocks: 1, shared: { queries: 16, uses: 64 } }, 1024],
  ])('holds a layer that is computed alone, of %o', (attention, tokens) => {
    const sizes = { tokens, ...attention };
    const numbers = ({ outputs, gradients = {} }: GraphPart) =>
      countPeak([...Object.values(outputs), ...Object.values(gradients)]);
    for (const parts of [whole, adapted, dora]) {
      const { rows, width, shared } = attention;
      const queries = rows * (shared?.queries ?? width);
      const places = { queries, keys: rows * width, ...(shared && { uses: shared.uses }) };
      const closed = layerNumbers(config, parts, { tokens, width }, places);
      for (const keeps of [true, false]) {
        const backward = numbers(layerGradientPart(config, parts, sizes, keeps));
        expect(closed / backward).toBeGreaterThan(1);
        expect(closed / backward).toBeLessThan(2);
        expect(closed / 2 / numbers(layerPart(config, parts, sizes, keeps))).toBeGreaterThan(1);
      }
    }
  });

  it.each([
    [128, 1, 512],
    [4, 256, 0],
    [4, 256, 1024],
    [16, 64, 1024],
  ])('holds a decode run of %i rows of %i tokens over %i cached ones', (rows, width, capacity) => {
    const tables = [rotaryTables(config, config.attentionKinds[0].rope, 2048)];
    const program = decodeGraph(new Graph(), config, 'draw', { sizes: { rows, width, capacity }, tables });
    const counted = countPeak([...Object.values(program.outputs), ...Object.values(program.append)]);
    expect(decodingNumbers(config, capacity + width, width)).toBeGreaterThan(counted);
  });
});

const settings: MemorySettings = {
  config: presetConfig('mini', 300, 128),
  parts: { valueHead: false },
  cores: { count: 1, layered: true, returnsMemory: true },
  isWasm: false,
  microBatchTokens: 512,
  activationBytes: 0,
  cacheBytes: 1e8,
  samplingWeights: 'float32',
  load: {
    sequences: 16,
    turns: 5,
    trainedTurns: 5,
    actionTokens: 8,
    rows: 64,
    evaluates: false,
    references: 0,
    samplings: [{ temperature: 1, topP: 1, topK: 0 }],
    optimizers: [{ name: 'adamw', options: {} }],
  },
  played: 128,
  trained: 128,
};
const partOf = (part: string, changes: Partial<MemorySettings>) => memoryAtCaps({ ...settings, ...changes })[part]!;

it('adds what layers keep for the backward pass, as far as it is allowed', () => {
  const tokens = Math.ceil((17 / 16) * settings.microBatchTokens);
  const ofLayer = keptBytes(settings.config, settings.parts) * tokens;
  const activations = (activationBytes: number) => partOf('activations', { activationBytes });
  expect(activations(2 * ofLayer) - activations(0)).toBe(2 * ofLayer);
  expect(activations(1e9) - activations(0)).toBe(settings.config.layers * ofLayer);
});

it('adds up what programs keep where they do not give it back, and what each core holds', () => {
  const cores = { ...settings.cores, returnsMemory: false };
  expect(partOf('activations', { cores })).toBeGreaterThan(partOf('activations', {}));
  const two = { count: 2, layered: false, returnsMemory: false };
  expect(partOf('weights', { cores: two })).toBe(2 * partOf('weights', {}));
  // Both have a full micro-batch.
  expect(partOf('activations', { cores: two })).toBe(
    2 * partOf('activations', { cores: { ...two, count: 1 }, load: { ...settings.load, rows: 32 } }),
  );
});

it('counts no more rows and tokens than a batch and a micro-batch have', () => {
  const cores = { count: 1, layered: false, returnsMemory: false };
  const of = (rows: number, microBatchTokens: number) =>
    partOf('activations', { cores, microBatchTokens, load: { ...settings.load, rows } });
  expect(of(2, 512)).toBeLessThan(of(64, 512));
  expect(of(2, 512)).toBe(of(2, 4096));
  expect(of(64, 1024) / of(64, 512)).toBeGreaterThan(1.5);
});

it('counts the copy that sampling uses, and the weights of evaluations beside it', () => {
  const [sampling] = settings.load.samplings;
  const load = { ...settings.load, samplings: [sampling!, { ...sampling!, exact: true }] };
  const [int8, int4] = (['int8', 'int4'] as const).map((format) => partOf('sampling', { samplingWeights: format }));
  const copies = copyBytes(settings.config, 'int8') - copyBytes(settings.config, 'int4');
  expect(int8! - int4!).toBeGreaterThanOrEqual(copies);
  expect(partOf('sampling', { samplingWeights: 'int8', load })).toBeGreaterThan(int8!);
  expect(partOf('sampling', { load })).toBe(partOf('sampling', {}));
  expect(partOf('sampling', { load: { ...load, sequences: 0 } })).toBe(0);
});

it('counts the constants of a model that only samples', () => {
  const config = { ...settings.config, vocabularySize: 100_000, hiddenSize: 320, layers: 1 };
  const load = { ...settings.load, rows: 0, optimizers: [] };
  const of = (samplesOnly: boolean) => partOf('sampling', { config, load, samplesOnly });
  const weights = 4 * totalElements(trainableShapes(config, settings.parts));
  expect(of(true) - of(false)).toBeGreaterThan(weights);
});

it('fills the cache with the longest episodes, up to its limit', () => {
  const { layers, keyValueHeads, headWidth } = settings.config;
  const slot = 2 * 4 * 128 * layers * keyValueHeads * headWidth;
  expect(partOf('cache', {})).toBe(16 * slot);
  expect(partOf('cache', { cacheBytes: 1e6 })).toBe(1e6);
});

it('takes the limit of an episode, or a likely length within the context', () => {
  const load: PolicyLoad = { ...settings.load, turns: 20, trainedTurns: 10, actionTokens: 20 };
  const of = (maxPositions: number, maxTokens?: number) => longestEpisodes(load, { maxPositions }, maxTokens);
  expect(of(4096, 300)).toEqual({ played: 300, trained: 300 });
  expect(of(4096, 9000)).toEqual({ played: 4096, trained: 4096 });
  expect(of(512)).toEqual({ played: 512, trained: 512 });
  const { played, trained } = of(4096);
  expect(trained).toBeGreaterThan(10 * 21);
  expect(played).toBeGreaterThan(1.5 * trained);
  expect(played).toBeLessThan(4096);
});
