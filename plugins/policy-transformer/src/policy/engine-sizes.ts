import { availableParallelism } from 'node:os';

import { hasGpuLibraries } from '../executors/tensorflow/load-tensorflow.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { parameterShapes } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import type { TransformerOptions } from '../options.js';

/** Engines by the values of the option. */
export const engines = {
  auto: 'auto',
  native: 'onnxruntime-node',
  wasm: 'onnxruntime-web',
  webgpu: 'webgpu',
  cuda: 'cuda',
  tensorflow: 'tensorflow',
} as const;

/** More threads than this mostly wait for each other, and each holds a copy of the weights. */
const MOST_THREADS = 8;

/** The maximum length of an episode if nothing limits it: rotary tables and caches have this size. */
const USUAL_LENGTH = 4096;

/** Threads that sample and train. */
function threadsOf({ threads }: Pick<TransformerOptions, 'threads'>): number {
  return threads ?? Math.min(MOST_THREADS, availableParallelism());
}

/**
 * A larger model is computed by one core with several threads, because every core holds a copy of the weights, and
 * trained layer by layer, but for a GPU.
 */
const MOST_FOR_COPIES = 100e6;

/**
 * Parameters of the largest model whose sessions keep their memory from run to run. New memory costs time, because the
 * system fills it with zeros. The sessions of a larger model have too much to keep: docs/decisions/memory-between-runs.md.
 */
const MOST_TO_KEEP_MEMORY = 250e6;

/** How a model is computed. */
export interface Cores {
  readonly count: number;
  /** Threads of each. */
  readonly sessionThreads: number;
  /** Whether it is trained layer by layer. */
  readonly layered: boolean;
  /** See `ExecutorOptions`. */
  readonly returnsMemory: boolean;
}

/** @param engineFolder see `ExecutorOptions` */
export function coresOf(
  options: Pick<TransformerOptions, 'threads' | 'engine'>,
  config: DecoderConfig,
  engineFolder?: string,
): Cores {
  const threads = threadsOf(options);
  const parameters = totalElements(parameterShapes(config, { valueHead: false }));
  const isLarge = parameters > MOST_FOR_COPIES;
  // A GPU computes one thing after the other anyway, and its memory would hold a copy of the weights for each core.
  const hasDevice =
    options.engine === 'webgpu' ||
    options.engine === 'cuda' ||
    (options.engine === 'tensorflow' && hasGpuLibraries(engineFolder));
  const isOne = isLarge || hasDevice;
  // Layer by layer, activations would move between the device and the process.
  const layered = isLarge && !hasDevice;
  return {
    count: isOne ? 1 : threads,
    sessionThreads: isOne ? threads : 1,
    layered,
    returnsMemory: layered && parameters > MOST_TO_KEEP_MEMORY,
  };
}

/** Tokens of the longest sequence of a model from scratch. A limit of this run is no limit of the model. */
export function contextOfPreset(maxTokens = 0): number {
  return Math.max(USUAL_LENGTH, maxTokens);
}

/** Tokens of the longest sequence of a model. */
export function positionsOf(config: Pick<DecoderConfig, 'maxPositions'>, maxTokens = USUAL_LENGTH): number {
  return Math.min(config.maxPositions, maxTokens);
}
