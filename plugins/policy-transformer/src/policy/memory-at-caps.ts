/*
 * The memory of a policy at its peak, by purpose, in closed form: nothing is computed, and every batch, episode and cache
 * is as large as its limits allow. The tensors of programs are counted as the test beside this file counts them in the
 * graphs; what the engine and Node.js add was measured (docs/decisions/memory-in-closed-form.md).
 */
import type { PolicyLoad } from '@agentgym/cli';

import { ONNX_RUNTIME_FACTS } from '../executors/onnx-runtime-executor.js';
import { cacheCapacity } from '../generation/key-value-cache.js';
import { LONGEST_PIECE } from '../generation/lane.js';
import { copyBytes } from '../generation/quantized-weights.js';
import { choiceOf } from '../generation/sampling-graph.js';
import { BLOCK, queryBlocks } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { keptBytes, trainsHead } from '../model/layered-graphs.js';
import { roundedWidth } from '../model/pack-rows.js';
import {
  frozenShapes,
  parameterShapes,
  projectionSizes,
  trainableShapes,
  type ParameterOptions,
  type Projection,
} from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import { optimizerBytes } from '../optimizers/optimizer-bytes.js';
import { isConstantBase, RUN_LIMITS, usesKernels, type SamplingWeights } from '../worker/create-generator.js';
import { SLOTS_OF_HEAD } from '../worker/layered-trainer.js';
import { positionsOf, type Cores } from './engine-sizes.js';

const FLOAT = Float32Array.BYTES_PER_ELEMENT;
const MEGABYTE = 1e6;

/** A thread of Node.js with the package's code and the engine: heap, stacks, code. */
const THREAD = 45 * MEGABYTE;
/** The library of ONNX Runtime, once in a process; as WebAssembly, every thread compiles it. */
const LIBRARY = 35 * MEGABYTE;
const WASM = 250 * MEGABYTE;
/** What the engine holds for a program besides its tensors, and blocks of its allocator that fit none, as a share. */
const PROGRAM = 3 * MEGABYTE;
const FRAGMENTS = 0.05;
/** Results that wait for garbage collection, which V8 begins after so many bytes outside its heap. */
const GARBAGE = 64 * MEGABYTE;
const WAITING_RUNS = 8;
/** Copies of a program's constants while it is made. Rounded ones also exist as the arrays that were rounded, and packed. */
const COPIES_OF_CONSTANTS = 2;
const COPIES_OF_ROUNDED = 4;
/** Numbers of rows and columns are rounded up: see `roundedSizes`. */
const ROUNDING = 17 / 16;
/** What an episode is assumed to have if nothing limits it: tokens before the first action, and of a later observation. */
const LIKELY = { begin: 256, observation: 96 };

export interface MemorySettings {
  readonly config: DecoderConfig;
  readonly parts: ParameterOptions;
  readonly cores: Pick<Cores, 'count' | 'layered' | 'returnsMemory'>;
  readonly isWasm: boolean;
  readonly microBatchTokens: number;
  readonly activationBytes: number;
  readonly cacheBytes: number;
  readonly samplingWeights: SamplingWeights;
  /** See `PolicyContext`. */
  readonly samplesOnly?: boolean | undefined;
  readonly load: PolicyLoad;
  /** Tokens of the longest sequences: see `longestEpisodes`. */
  readonly played: number;
  readonly trained: number;
}

/**
 * Tokens of the longest sequences of a load.
 *
 * @param maxTokens absent: only the model's context limits them, which few episodes fill
 */
export function longestEpisodes(
  { turns, trainedTurns, actionTokens }: PolicyLoad,
  config: Pick<DecoderConfig, 'maxPositions'>,
  maxTokens: number | undefined,
): Pick<MemorySettings, 'played' | 'trained'> {
  const positions = positionsOf(config, maxTokens);
  const longest = (count: number) =>
    maxTokens === undefined
      ? Math.min(positions, LIKELY.begin + count * (actionTokens + 1 + LIKELY.observation))
      : positions;
  return { played: longest(turns), trained: longest(trainedTurns) };
}

type Bytes = { readonly [part: string]: number };

/** Bytes by purpose. */
export function memoryAtCaps(settings: MemorySettings): Bytes {
  const { config, parts, cores, isWasm, load } = settings;
  const weights = totalElements(trainableShapes(config, parts)) + totalElements(frozenShapes(config, parts));
  return {
    threads: cores.count * (THREAD + (isWasm ? WASM : 0)) + (isWasm ? 0 : LIBRARY),
    weights: FLOAT * cores.count * weights,
    activations: load.optimizers.length === 0 ? 0 : cores.count * trainingBytes(settings),
    ...memoryBesides(settings),
    garbage: usesCache(settings) ? cores.count * appendedBytes(config) + cacheBytes(settings) : 0,
  };
}

/** What training needs besides threads, weights, and the micro-batches that it trains on. */
export function memoryBesides(settings: MemorySettings): Bytes {
  const { config, parts, cores, load } = settings;
  const shapes = trainableShapes(config, parts);
  const trainable = FLOAT * totalElements(shapes);
  const optimizers = load.optimizers.map((optimizer) => optimizerBytes(optimizer, shapes));
  return {
    references: load.references * cores.count * trainable,
    optimizer: Math.max(0, ...optimizers.map(({ moments, update }) => moments + (1 + FRAGMENTS) * update)),
    // Without a gradient, programs keep nothing: they need what one layer does.
    evaluation: load.evaluates ? (cores.count * trainingBytes(settings)) / config.layers : 0,
    sampling: cores.count * samplingBytes(settings),
    cache: cacheBytes(settings),
    // Weights go to the other cores after every step.
    copies: cores.count > 1 ? (cores.count + 1) * trainable : 0,
  };
}

/** A micro-batch of rows up to a width, with as many tokens as it may have. */
interface MicroBatch {
  readonly tokens: number;
  readonly width: number;
  readonly sequences: number;
  /** Sampled tokens: of all sequences, and of a row. */
  readonly slots: number;
  readonly asks: number;
}

function microBatch({ cores, load, trained, microBatchTokens }: MemorySettings, width: number): MicroBatch {
  const all = Math.ceil(load.rows / cores.count);
  const longest = Math.min(width, roundedWidth(trained));
  const tokens = Math.min(all * longest, Math.max(longest, microBatchTokens));
  const sampled = Math.min(width, load.trainedTurns * (load.actionTokens + 1));
  // Rows of several blocks hold one sequence each.
  const isPacked = cores.layered || queryBlocks(width) === 1;
  const sequences = isPacked ? Math.min(all, tokens) : Math.floor(tokens / width);
  const slots = Math.min(tokens, sequences * sampled);
  return { tokens: Math.ceil(ROUNDING * tokens), width, sequences, slots, asks: isPacked ? width : sampled };
}

/** The widest micro-batches of each number of blocks, which has programs of its own; the last is the widest. */
function microBatches(settings: MemorySettings): readonly [...MicroBatch[], MicroBatch] {
  const widest = roundedWidth(settings.trained);
  const powers = Array.from({ length: Math.log2(queryBlocks(widest)) }, (_, power) => 2 ** power);
  const narrower = powers.map((blocks) => microBatch(settings, 2 * BLOCK * blocks - 1));
  return [...narrower, microBatch(settings, widest)];
}

/** Numbers of a token that a layer needs for its backward pass, without attention. */
function keptNumbers(config: DecoderConfig, { adapter }: ParameterOptions): number {
  const { hiddenSize, intermediateSize, heads, keyValueHeads, headWidth } = config;
  const norms =
    (config.queryKeyNorm ? (heads + keyValueHeads) * headWidth : 0) + (config.outputNorms ? 2 * hiddenSize : 0);
  const activated = config.activation === 'silu' ? 4 : 6;
  // In DoRA, each product is also kept before it is scaled.
  const ofTarget = (part: Projection) =>
    adapter!.rank + (adapter!.dora ? 2 * projectionSizes(config, part).outputs : 0);
  const adapted = (adapter?.targets ?? []).reduce((sum, part) => sum + ofTarget(part), 0);
  return 4 * hiddenSize + activated * intermediateSize + norms + adapted;
}

/** Keys that a query has scores for, on average: those up to the end of its block. */
function scoresOfQuery(width: number): number {
  const blocks = queryBlocks(width);
  return (width * (blocks + 1)) / (2 * blocks);
}

/** The same for attention. Each block of queries has a copy of the keys and values up to its end. */
function attentionNumbers({ heads, keyValueHeads, headWidth }: DecoderConfig, width: number): number {
  return headWidth * (3 * heads + (queryBlocks(width) + 1) * keyValueHeads) + heads * scoresOfQuery(width);
}

/** Numbers of `trainingGraph` at its peak. */
export function trainingNumbers(config: DecoderConfig, parts: ParameterOptions, batch: MicroBatch): number {
  const { tokens, width, slots, asks } = batch;
  // The queries of the last layer, only those that are asked, have all their scores in one block.
  const last = (queryBlocks(width) === 1 ? 1.5 : 3) * config.heads * asks;
  const ofLayer = keptNumbers(config, parts) + attentionNumbers(config, width);
  const ofToken = config.layers * ofLayer + config.intermediateSize + last;
  return tokens * ofToken + 3 * slots * config.vocabularySize;
}

/** Places of attention, into which tokens are spread. */
interface Places {
  readonly queries: number;
  readonly keys: number;
  /** Rows that have a token, if beginnings are shared. */
  readonly uses?: number;
}

/** Numbers of `layerGradientPart`; `layerPart` needs about half. */
export function layerNumbers(
  config: DecoderConfig,
  parts: ParameterOptions,
  { tokens, width }: Pick<MicroBatch, 'tokens' | 'width'>,
  { queries, keys, uses }: Places,
): number {
  const { heads, keyValueHeads, headWidth, intermediateSize } = config;
  const ofToken = keptNumbers(config, parts) + 2 * intermediateSize + 3 * headWidth * (heads + keyValueHeads);
  const scores = uses === undefined ? scoresOfQuery(width) : width;
  // Slopes of shared keys are looked up for all their uses at once.
  const spread = uses === undefined ? 5 * keys : 2 * keys + tokens * uses;
  return tokens * ofToken + 2 * queries * heads * (headWidth + scores) + spread * keyValueHeads * headWidth;
}

/** What the engine holds for programs that run one after the other: those of a large model give their memory back. */
function together({ cores, isWasm }: MemorySettings, numbers: readonly number[]): number {
  const each = numbers.map((count) => PROGRAM + (1 + FRAGMENTS) * FLOAT * count);
  return cores.returnsMemory || isWasm ? Math.max(...each) : each.reduce((sum, bytes) => sum + bytes, 0);
}

/** Gradients, and what a core needs to compute them. */
function trainingBytes(settings: MemorySettings): number {
  const { config, parts, cores } = settings;
  const trainable = totalElements(trainableShapes(config, parts));
  const batches = microBatches(settings);
  if (!cores.layered) {
    // Sequences that begin alike have a program of their own, with the widest rows of one block. Each program has a place
    // for gradients that are added to others.
    const all = [microBatch(settings, 2 * BLOCK - 1), ...batches];
    return (
      FLOAT * trainable +
      together(
        settings,
        all.map((batch) => trainingNumbers(config, parts, batch) + trainable),
      )
    );
  }
  const widest = batches.at(-1)!;
  // Rows are padded to at most twice the tokens. Where beginnings are shared, each row has all keys of its sequence.
  const layers = batches.map((batch) => {
    const padded = 2 * batch.tokens;
    return layerNumbers(config, parts, batch, { queries: padded, keys: padded });
  });
  const { tokens, width, sequences: uses } = widest;
  layers.push(layerNumbers(config, parts, widest, { queries: 2 * tokens, keys: uses * width, uses }));
  const { bytes, keepsAll } = betweenPasses(settings);
  // Layers that keep nothing have programs of their own.
  const programs = (keepsAll ? [1, 0.5] : [1, 1, 0.5, 0.5]).flatMap((share) => layers.map((count) => share * count));
  const head = SLOTS_OF_HEAD * config.vocabularySize;
  const heads = trainsHead(config, parts)
    ? [3 * head, 2 * (head + config.vocabularySize * config.hiddenSize)]
    : [3 * head];
  return FLOAT * trainable + bytes + together(settings, [...programs, ...heads]);
}

/** Bytes that a large model holds from its forward to its backward pass: inputs of layers, and what layers keep. */
function betweenPasses(settings: MemorySettings): { readonly bytes: number; readonly keepsAll: boolean } {
  const { config, parts, cores, activationBytes } = settings;
  if (!cores.layered) return { bytes: 0, keepsAll: true };
  const { tokens } = microBatches(settings).at(-1)!;
  const all = config.layers * keptBytes(config, parts) * tokens;
  const inputs = FLOAT * (config.layers + 2) * tokens * config.hiddenSize;
  return { bytes: inputs + Math.min(all, activationBytes), keepsAll: all <= activationBytes };
}

/** The numbers that some ways of sampling multiply with: evaluations sample from the weights themselves. */
function formatsOf({ load, samplingWeights }: MemorySettings): readonly SamplingWeights[] {
  const samplings = load.sequences === 0 ? [] : load.samplings;
  return [...new Set(samplings.map(({ exact }) => (exact ? 'float32' : samplingWeights)))];
}

/** Whether the engine samples, whose cache is one of arrays. Hand-written kernels take pages as episodes grow. */
function usesCache(settings: MemorySettings): boolean {
  const { config, parts } = settings;
  return formatsOf(settings).some((format) => !usesKernels(config, parts.adapter, format));
}

/**
 * Numbers of a run of `decodeGraph`, with what it appends to the cache.
 *
 * @param piece new tokens of a row: 1, or up to the longest piece
 */
export function decodingNumbers(config: DecoderConfig, longest: number, piece: number): number {
  const { layers, heads, keyValueHeads, headWidth, hiddenSize, intermediateSize, vocabularySize } = config;
  const { tokensPerRun, rowsPerRun, scoresPerRun } = RUN_LIMITS;
  const tokens = piece === 1 ? rowsPerRun : tokensPerRun;
  const scores = Math.min(scoresPerRun, tokens * heads * (longest + piece));
  const ofToken = 2 * (hiddenSize + intermediateSize + layers * keyValueHeads * headWidth);
  return 2.2 * scores + tokens * ofToken + 3 * rowsPerRun * vocabularySize;
}

/** What runs append to the cache, until it is collected. Old arrays of a cache that episodes outgrow wait, too. */
function appendedBytes({ layers, keyValueHeads, headWidth }: DecoderConfig): number {
  const ofRun = RUN_LIMITS.tokensPerRun * 2 * FLOAT * layers * keyValueHeads * headWidth;
  return Math.min(GARBAGE, WAITING_RUNS * ofRun);
}

/** The programs of a core that sample, with their constants. */
function samplingBytes(settings: MemorySettings): number {
  const { config, parts, load, played, samplesOnly = false } = settings;
  const weights = FLOAT * totalElements(parameterShapes(config, { valueHead: false }));
  const choices = new Set(load.samplings.map((sampling) => choiceOf(sampling, config.vocabularySize))).size;
  const ofText = decodingNumbers(config, played, Math.min(LONGEST_PIECE, played));
  const each = [ofText, decodingNumbers(config, played, 1)];
  return formatsOf(settings).reduce((sum, format) => {
    if (usesKernels(config, parts.adapter, format)) return sum + weights;
    const isExact = format === 'float32';
    if (isExact && !isConstantBase(config, samplesOnly || parts.adapter !== undefined, ONNX_RUNTIME_FACTS)) {
      const programs = together(settings, Array<number[]>(choices).fill(each).flat());
      return sum + programs + constantBytes(weights, 2 * choices);
    }
    const fixed = isExact ? weights : copyBytes(config, format);
    const copies = (isExact ? COPIES_OF_CONSTANTS : COPIES_OF_ROUNDED) * fixed;
    // One session serves all. No batch is trained while its constants are copied.
    return sum + together(settings, [ofText]) + fixed + Math.max(0, copies - betweenPasses(settings).bytes);
  }, 0);
}

/** What a core holds of weights of this many bytes for programs that sample, while it makes the last of them. */
function constantBytes(weights: number, programs: number): number {
  return weights > ONNX_RUNTIME_FACTS.mostFixedBytes ? 0 : (programs + COPIES_OF_CONSTANTS) * weights;
}

/** What a core needs for the programs of an adapter: greedy ones and by a draw, each for single tokens and for texts. */
export function adapterProgramBytes(weights: number): number {
  const programs = 4;
  return programs * PROGRAM + constantBytes(weights, programs);
}

/** Keys and values of the episodes in flight. All slots of the engine's cache have room for the longest episode. */
function cacheBytes(settings: MemorySettings): number {
  const { config, load, played, cacheBytes: limit } = settings;
  const { layers, keyValueHeads, headWidth } = config;
  const { capacityMultiple } = ONNX_RUNTIME_FACTS.rowRules;
  const positions = usesCache(settings) ? cacheCapacity(played, capacityMultiple) : played;
  return Math.min(limit, load.sequences * positions * 2 * FLOAT * layers * keyValueHeads * headWidth);
}
