import type { Executor } from '../executors/executor.js';
import { SessionDecodeRunner } from '../generation/decode-runner.js';
import { GraphGenerator } from '../generation/graph-generator.js';
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

/** Whether the kernels sample a model. */
export function usesKernels(config: DecoderConfig, adapter: Adapter | undefined): boolean {
  const parameters = totalElements(parameterShapes(config, { valueHead: false }));
  return adapter === undefined && fitsKernels(config) && parameters <= MOST_FOR_KERNELS;
}

/**
 * Chooses a generator from the model and its adapter only, because generators differ in the last bits, and a resumed run must choose
 * the same.
 */
export function createGenerator(
  config: DecoderConfig,
  adapter: Adapter | undefined,
  executor: Executor,
  cacheBytes: number,
): TokenGenerator {
  if (usesKernels(config, adapter)) return new KernelGenerator(config, cacheBytes);
  const runner = new SessionDecodeRunner(executor, config, adapter);
  return new GraphGenerator(config, runner, executor, { cacheBytes, ...RUN_LIMITS });
}
