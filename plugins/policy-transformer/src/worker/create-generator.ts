import type { Executor } from '../executors/executor.js';
import { SessionDecodeRunner } from '../generation/decode-runner.js';
import { GraphGenerator, type DecodeRunner } from '../generation/graph-generator.js';
import { QuantizedDecodeRunner } from '../generation/quantized-decode-runner.js';
import type { QuantizedFormat } from '../generation/quantized-weights.js';
import type { TokenGenerator } from '../generation/token-generator.js';
import { KernelGenerator } from '../kernels/kernel-generator.js';
import { fitsKernels } from '../kernels/kernel-model.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { parameterShapes, type Adapter } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';

/**
 * Up to this many parameters, hand-written kernels sample faster. They use vectors of four numbers, while the engine
 * uses up to sixteen. But they pad nothing and need no new session for each policy version, which saves more time in
 * the smallest models.
 */
const MOST_FOR_KERNELS = 250_000;

/** Limits of one decode run: large enough for fast matrix products, small enough for the processor's caches. */
export const RUN_LIMITS = { tokensPerRun: 1024, rowsPerRun: 128, scoresPerRun: 16e6 };

/** Numbers of the weights that sampling multiplies with. */
export type SamplingWeights = 'float32' | QuantizedFormat;

/** Whether the kernels sample a model. */
export function usesKernels(config: DecoderConfig, adapter: Adapter | undefined, format: SamplingWeights): boolean {
  const parameters = totalElements(parameterShapes(config, { valueHead: false }));
  const whole = adapter === undefined && format === 'float32';
  return whole && fitsKernels(config) && parameters <= MOST_FOR_KERNELS;
}

/** Runs the decode graphs of a model that kernels do not sample. */
export function createRunner(
  config: DecoderConfig,
  adapter: Adapter | undefined,
  executor: Executor,
  format: SamplingWeights,
): DecodeRunner {
  return format === 'float32'
    ? new SessionDecodeRunner(executor, config, adapter)
    : new QuantizedDecodeRunner(executor, config, adapter, format);
}

/**
 * Chooses a generator from the model, its adapter and the format only, because generators differ in the last bits, and a
 * resumed run must choose the same.
 */
export function createGenerator(
  config: DecoderConfig,
  adapter: Adapter | undefined,
  executor: Executor,
  cacheBytes: number,
  format: SamplingWeights,
): TokenGenerator {
  if (usesKernels(config, adapter, format)) return new KernelGenerator(config, cacheBytes);
  const runner = createRunner(config, adapter, executor, format);
  return new GraphGenerator(config, runner, executor, { cacheBytes, ...RUN_LIMITS });
}
