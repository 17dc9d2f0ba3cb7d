/*
 * The memory of a policy at its peak, by purpose. The code that trains and samples runs once on an executor that only
 * counts (`CountingExecutor`), with a batch as large as the recipe allows. What the engine and Node.js add to that was
 * measured on Linux x64 with Node.js 20 and ONNX Runtime 1.30, with `npm run bench -- memory`.
 */
import { setImmediate } from 'node:timers/promises';

import type { Loss, PolicyLoad, Sampling, TrainingBatch } from '@agentgym/cli';

import { CountingExecutor, type CountedProgram } from '../executors/counting-executor.js';
import { ONNX_RUNTIME_FACTS } from '../executors/onnx-runtime-executor.js';
import { rowsOfRun } from '../generation/graph-generator.js';
import { cacheCapacity } from '../generation/key-value-cache.js';
import { choiceOf, type Choice } from '../generation/sampling-graph.js';
import type { ModelWeights } from '../generation/token-generator.js';
import { KernelModel } from '../kernels/kernel-model.js';
import { queryBlocks } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { frozenShapes, trainableShapes, type ParameterOptions } from '../model/parameters.js';
import { keptBytes } from '../model/layered-graphs.js';
import { gradientState } from '../model/training-graph.js';
import { totalElements } from '../operations/shapes.js';
import { createOptimizer } from '../optimizers/create-optimizer.js';
import { createRunner, RUN_LIMITS, usesKernels, type SamplingWeights } from '../worker/create-generator.js';
import { LayeredTrainer } from '../worker/layered-trainer.js';
import { Trainer } from '../worker/trainer.js';
import type { Cores } from './engine-sizes.js';
import type { EpisodeLengths } from './episode-lengths.js';

const FLOAT = 4;
const MEGABYTE = 1e6;

/** A thread of Node.js with the package's code and the engine: heap, stacks, code. */
const THREAD = 45 * MEGABYTE;
/** The library of ONNX Runtime, once in a process. */
const LIBRARY = 35 * MEGABYTE;
/** ONNX Runtime as WebAssembly: every thread compiles it, and compiles its most used parts again. */
const WASM = 150 * MEGABYTE;
/** What the engine holds for a program besides its tensors. */
const PROGRAM = 3 * MEGABYTE;
/** Blocks of the engine's allocator that fit no tensor, as a share of the tensors at the peak. */
const FRAGMENTS = 0.15;
/**
 * Results of runs wait for garbage collection: some runs of a small model, but V8 begins to collect after so many bytes
 * outside its heap (v8/src/heap: kExternalAllocationSoftLimit).
 */
const GARBAGE = 64 * MEGABYTE;
const WAITING_RUNS = 8;
/** Copies of a program's constants while it is made, besides its own: a message, and the engine's reading of it. */
const COPIES_OF_CONSTANTS = 2;
/** The same for rounded weights, which also exist as the arrays that were rounded, and packed. */
const COPIES_OF_ROUNDED = 4;
/** Positions by which a cache grows at least. */
const CACHE_STEP = 32;

export interface CountedSettings {
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
  readonly lengths: EpisodeLengths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);

/** What the code that trains and samples needs, on one core. */
interface Counted {
  readonly moments: number;
  /** Programs of the optimizer that needs most. */
  readonly update: readonly CountedProgram[];
  readonly training: readonly CountedProgram[];
  readonly evaluation: readonly CountedProgram[];
  readonly sampling: readonly CountedProgram[];
  /** Tokens of the largest micro-batch. */
  readonly tokens: number;
}

/** Bytes by purpose. */
export async function countMemory(settings: CountedSettings): Promise<{ readonly [part: string]: number }> {
  const { config, parts, cores, load, isWasm } = settings;
  const trainable = FLOAT * totalElements(trainableShapes(config, parts));
  const frozen = FLOAT * totalElements(frozenShapes(config, parts));
  const counted = await countPrograms(settings);
  const activations = activationBytes(settings, counted);
  const cache = cacheBytes(settings);
  return {
    threads: cores.count * (THREAD + (isWasm ? WASM : 0)) + (isWasm ? 0 : LIBRARY),
    weights: cores.count * (trainable + frozen) + load.references * cores.count * trainable,
    optimizer: cores.count * trainable + counted.moments + together(settings, counted.update),
    activations: cores.count * (activations + passedBytes(settings, counted)),
    sampling: cores.count * samplingBytes(settings, counted, activations),
    garbage: cores.count * garbageBytes(settings, counted, cache),
    cache,
    copies: copiesBytes(settings, trainable, counted.moments),
  };
}

/** Runs the trainer, the optimizers and the runners that sample, once for the largest of everything. */
async function countPrograms(settings: CountedSettings): Promise<Counted> {
  const { config, parts, cores, load } = settings;
  const executor = new CountingExecutor(ONNX_RUNTIME_FACTS);
  const shapes = trainableShapes(config, parts);
  const ofFrozen = frozenShapes(config, parts);
  const weights = {
    trainable: executor.allocate(shapes),
    ...(ofFrozen.size > 0 && { frozen: executor.allocate(ofFrozen) }),
  };
  const gradients = executor.allocate(new Map([...shapes].map(([name, shape]) => [gradientState(name), shape])));
  executor.takeState();

  const updates: { readonly moments: number; readonly programs: readonly CountedProgram[] }[] = [];
  for (const optimizer of load.optimizers) {
    const made = createOptimizer(optimizer, { parameters: weights.trainable, gradients }, executor);
    const moments = executor.takeState();
    await made.step(1, undefined);
    // Signals get their turn.
    await setImmediate();
    updates.push({ moments, programs: executor.takePrograms() });
  }

  const batches = microBatches(settings);
  const trainer = cores.layered
    ? new LayeredTrainer(executor, config, parts, settings)
    : new Trainer(executor, config, parts, settings.microBatchTokens);
  for (const batch of batches) {
    await trainer.accumulate(weights, gradients, batch, LOSS);
    await setImmediate();
  }
  const training = executor.takePrograms();
  for (const batch of load.evaluates ? batches : []) {
    await trainer.evaluate(weights, batch);
    await setImmediate();
  }
  const evaluation = executor.takePrograms();
  return {
    moments: most(updates.map(({ moments }) => moments)),
    update: largestUpdate(updates),
    training,
    evaluation,
    sampling: await countSampling(settings, executor, weights),
    tokens: most(batches.map(({ rows, width }) => rows * width)),
  };
}

/**
 * Whether programs use the same memory one after the other: those of a large model give it back after every run, and
 * WebAssembly has one memory for all. Other programs keep theirs.
 */
function sharesMemory({ cores, isWasm }: CountedSettings): boolean {
  return cores.returnsMemory || isWasm;
}

/** What the engine holds for several programs. */
function together(settings: CountedSettings, programs: readonly CountedProgram[]): number {
  const each = programs.map(memoryOf);
  return sharesMemory(settings) ? most(each) : sum(each);
}

/** What a micro-batch computes, and what is kept for its backward pass. */
function activationBytes(settings: CountedSettings, { training, evaluation, tokens }: Counted): number {
  const [trains, evaluates] = [together(settings, training), together(settings, evaluation)];
  const programs = sharesMemory(settings) ? Math.max(trains, evaluates) : trains + evaluates;
  return programs + (settings.cores.layered ? betweenPasses(settings, tokens) : 0);
}

/** WebAssembly has a memory of its own, into which every run copies what it is given. */
function passedBytes({ isWasm }: CountedSettings, { training, evaluation, sampling }: Counted): number {
  const all = [...training, ...evaluation, ...sampling];
  return isWasm ? most(all.map(({ inputs, state, results }) => inputs + state + results)) : 0;
}

/** Whether hand-written kernels sample, which have no cache of the executor. */
function samplesWithKernels(settings: CountedSettings): boolean {
  const { config, parts } = settings;
  return [...samplingsByFormat(settings).keys()].some((format) => usesKernels(config, parts.adapter, format));
}

/**
 * What a core needs for the programs that sample greedily and by a draw, each with single tokens and with texts, and for
 * making one of them.
 *
 * @param weights bytes of those that may be constants
 */
export function programBytes(weights: number): number {
  const programs = 4;
  const isFixed = weights <= ONNX_RUNTIME_FACTS.mostFixedBytes;
  return programs * PROGRAM + (isFixed ? (programs + COPIES_OF_CONSTANTS) * weights : 0);
}

/** Programs that sample, with their constants. */
function samplingBytes(settings: CountedSettings, { sampling }: Counted, activations: number): number {
  const { config, cores, samplingWeights } = settings;
  const decoding = samplesWithKernels(settings) ? kernelBytes(config) : together(settings, sampling);
  const fixed = sampling.map((each) => each.fixed);
  // While a program with constants is made, they exist in several copies. A large model does not train meanwhile.
  const copies = samplingWeights === 'float32' ? COPIES_OF_CONSTANTS : COPIES_OF_ROUNDED;
  return decoding + sum(fixed) + Math.max(0, copies * most(fixed) - (cores.layered ? activations : 0));
}

/** Results of runs, and outgrown arrays of the cache, until they are collected. */
function garbageBytes(settings: CountedSettings, { training, sampling }: Counted, cache: number): number {
  const { config, cores, lengths } = settings;
  const results = most([...training, ...sampling].map((each) => each.results));
  // When episodes outgrow the cache, it moves into larger arrays, one by one, and the old ones wait.
  const share = samplesWithKernels(settings) ? 0 : cache / cores.count;
  const outgrown = Math.min((1 - CACHE_STEP / lengths.longest) * share, GARBAGE + share / (2 * config.layers));
  return Math.max(results, Math.min(GARBAGE, WAITING_RUNS * results)) + outgrown;
}

/** What a large model holds from its forward to its backward pass: the inputs of layers, and what layers keep. */
function betweenPasses({ config, parts, activationBytes }: CountedSettings, tokens: number): number {
  const { layers, hiddenSize } = config;
  const ofLayer = keptBytes(config, parts) * tokens;
  return FLOAT * (layers + 2) * tokens * hiddenSize + ofLayer * Math.min(layers, Math.floor(activationBytes / ofLayer));
}

/** The programs of the optimizer that needs most. */
function largestUpdate(
  updates: readonly { readonly programs: readonly CountedProgram[] }[],
): readonly CountedProgram[] {
  const size = (programs: readonly CountedProgram[]) => sum(programs.map(({ peak }) => peak));
  return updates.reduce<readonly CountedProgram[]>(
    (largest, { programs }) => (size(programs) > size(largest) ? programs : largest),
    [],
  );
}

/**
 * Crosses threads in copies: weights after every step if there are several cores, and everything for a checkpoint, but
 * in pieces.
 */
function copiesBytes({ cores }: CountedSettings, trainable: number, moments: number): number {
  const ofStep = cores.count > 1 ? (cores.count + 1) * trainable : 0;
  const ofCheckpoint = Math.min(2 * (trainable + moments), GARBAGE);
  return Math.max(ofStep, ofCheckpoint);
}

/** Episodes of a run are as long as the longest, or as half or a quarter of it. */
const PARTS = [1, 2, 4];

/** Tokens of an episode that are also in others of a batch, as a share: the prompt, and often the first turns. */
const COMMON = 0.5;

/**
 * Micro-batches with the most tokens. Programs differ in their number of blocks of queries, so there is one for the
 * longest episodes, and one for those of half and of a quarter of their length.
 */
function microBatches(settings: CountedSettings): TrainingBatch[] {
  const { lengths, microBatchTokens } = settings;
  const blocks = queryBlocks(lengths.longest);
  const widths = Array.from({ length: lengths.longest }, (_, index) => lengths.longest - index);
  return PARTS.flatMap((part) => {
    const candidates = widths.filter((width) => queryBlocks(width) === blocks / part);
    const [first, ...others] = candidates.map((width) => ({ width, rows: rowsOf(settings, width, microBatchTokens) }));
    if (first === undefined) return [];
    const best = others.reduce((most, each) => (each.rows * each.width > most.rows * most.width ? each : most), first);
    return [batchOf(best, settings), ...beginningAlike(first.width, settings)];
  });
}

/** The largest micro-batch of episodes that begin alike: without blocks, another program computes them, in wide rows. */
function beginningAlike(width: number, settings: CountedSettings): TrainingBatch[] {
  if (settings.cores.layered || queryBlocks(width) > 1) return [];
  const common = Math.floor(COMMON * width);
  const rows = rowsOf(settings, width - common, settings.microBatchTokens - common);
  return rows > 1 ? [batchOf({ rows, width, common }, settings)] : [];
}

/** Rows that add `width` tokens each to a micro-batch. */
function rowsOf({ cores, load }: CountedSettings, width: number, tokens: number): number {
  return Math.max(1, Math.min(Math.ceil(load.rows / cores.count), Math.floor(tokens / width)));
}

/** @param common tokens with which all rows begin */
function batchOf(
  { rows, width, common = 0 }: { readonly rows: number; readonly width: number; readonly common?: number },
  { config, lengths }: CountedSettings,
): TrainingBatch {
  const sampled = Math.min(lengths.sampled, width - Math.max(1, common));
  const numbers = () => new Float64Array(rows * width);
  const mask = new Uint8Array(rows * width);
  // The first token that differs is sampled: one position predicts it for all rows.
  const from = common > 0 ? common : width - sampled;
  for (let row = 0; row < rows; row += 1) mask.fill(1, row * width + from, row * width + from + sampled);
  // Then come the digits of the row's number, so that none shares what another computes.
  const digit = (row: number, place: number) =>
    Math.floor(row / config.vocabularySize ** place) % config.vocabularySize;
  return {
    rows,
    width,
    tokens: Int32Array.from({ length: rows * width }, (_, index) => {
      const place = index % width;
      return place < common ? 0 : digit(Math.floor(index / width), place - common);
    }),
    length: new Int32Array(rows).fill(width),
    mask,
    turn: new Int32Array(rows * width),
    weight: numbers(),
    logprobs: numbers(),
    rewards: numbers(),
    advantages: numbers(),
    episode: new Int32Array(rows),
    group: new Int32Array(rows),
    truncated: new Uint8Array(rows),
    bootstrapValue: new Float64Array(rows),
    temperature: 1,
  };
}

/** Any loss: it needs little beside the model. */
const LOSS: Loss = {
  terms: { policy: { op: 'mul', left: { op: 'batch', name: 'advantages' }, right: { op: 'live', name: 'logprob' } } },
};

/** What the engine holds for a program. */
function memoryOf({ peak, inputs }: CountedProgram): number {
  return PROGRAM + (1 + FRAGMENTS) * peak + inputs;
}

/** Programs of one core: for every way of choosing a token, one for single tokens and one for texts. */
async function countSampling(
  settings: CountedSettings,
  executor: CountingExecutor,
  weights: ModelWeights,
): Promise<readonly CountedProgram[]> {
  const { config, parts, load, lengths, cores, samplesOnly } = settings;
  const capacity = lengths.longest;
  const active = Math.ceil(load.sequences / cores.count);
  for (const [format, samplings] of samplingsByFormat(settings)) {
    if (usesKernels(config, parts.adapter, format)) continue;
    const runner = createRunner(config, parts.adapter, executor, format, samplesOnly);
    const prepared = await runner.prepare(weights);
    for (const choice of choicesOf(samplings, config)) {
      for (const width of [1, Math.min(PIECE, capacity)]) {
        const most = rowsOfRun(config, RUN_LIMITS, runner.rowLimits, { width, capacity });
        const rows = Math.max(runner.rowLimits.least, Math.min(active, most));
        await runner.run(prepared, choice, { rows, width, capacity }, {}, {});
        await setImmediate();
      }
    }
  }
  return executor.takePrograms();
}

/** Evaluations sample from the weights themselves, whatever copy the rest samples from. */
function samplingsByFormat({ load, samplingWeights }: CountedSettings): ReadonlyMap<SamplingWeights, Sampling[]> {
  const grouped = new Map<SamplingWeights, Sampling[]>();
  if (load.sequences === 0) return grouped;
  for (const sampling of load.samplings) {
    const format = sampling.exact ? 'float32' : samplingWeights;
    grouped.set(format, [...(grouped.get(format) ?? []), sampling]);
  }
  return grouped;
}

/** Tokens of a usual observation with the prompt. */
const PIECE = 64;

function choicesOf(samplings: readonly Sampling[], { vocabularySize }: DecoderConfig): readonly Choice[] {
  const choices = samplings.map((sampling) => choiceOf(sampling, vocabularySize));
  return [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()];
}

function kernelBytes(config: DecoderConfig): number {
  return new KernelModel(config).kernels.bytes;
}

/** Keys and values of the episodes in flight. All slots of an executor's cache have room for the longest episode. */
function cacheBytes(settings: CountedSettings): number {
  const { config, load, lengths, cacheBytes: limit } = settings;
  const { layers, keyValueHeads, headWidth } = config;
  const { capacityMultiple } = ONNX_RUNTIME_FACTS.rowRules;
  const positions = samplesWithKernels(settings) ? lengths.usual : cacheCapacity(lengths.longest, capacityMultiple);
  return Math.min(limit, load.sequences * positions * 2 * FLOAT * layers * keyValueHeads * headWidth);
}
