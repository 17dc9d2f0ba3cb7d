import type { Executor } from '../executors/executor.js';
import { SessionDecodeRunner } from '../generation/decode-runner.js';
import { GraphGenerator, type DecodeRunner } from '../generation/graph-generator.js';
import { KeyValueCache } from '../generation/key-value-cache.js';
import { ConstantDecodeRunner } from '../generation/constant-decode-runner.js';
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

/**
 * Whether the weights are constants of one session, which saves up to a third of a step. They are if they never change: under
 * an adapter, and where nothing trains. To make the session costs as much as a hundred steps save, and several copies of
 * the weights in memory, too much for each version of a model that is trained. Each of several sessions would hold a
 * large model again: small ones are constants of each (`mostFixedBytes`).
 */
export function isConstantBase(
  config: DecoderConfig,
  areFrozen: boolean,
  { mostFixedBytes, mostConstantBytes }: Pick<Executor, 'mostFixedBytes' | 'mostConstantBytes'>,
): boolean {
  const bytes = totalElements(parameterShapes(config, { valueHead: false })) * Float32Array.BYTES_PER_ELEMENT;
  return areFrozen && bytes > mostFixedBytes && bytes <= mostConstantBytes;
}

/**
 * Runs the decode graphs of a model that kernels do not sample.
 * @param samplesOnly see `PolicyContext`
 */
export function createRunner(
  config: DecoderConfig,
  adapter: Adapter | undefined,
  executor: Executor,
  format: SamplingWeights,
  samplesOnly = false,
): DecodeRunner {
  const areFrozen = samplesOnly || adapter !== undefined;
  const isConstant = format !== 'float32' || isConstantBase(config, areFrozen, executor);
  return isConstant
    ? new ConstantDecodeRunner(executor, config, adapter, format)
    : new SessionDecodeRunner(executor, config, adapter);
}

/** The generators of a core. They share a cache, and those of adapters with equal shapes share their programs. */
export class Generators {
  readonly #config: DecoderConfig;
  readonly #executor: Executor;
  readonly #cacheBytes: number;
  readonly #samplesOnly: boolean;
  readonly #cache: KeyValueCache;
  readonly #runners = new Map<string, { readonly runner: DecodeRunner; users: number }>();

  /** @param settings `samplesOnly`: see `PolicyContext` */
  constructor(
    config: DecoderConfig,
    executor: Executor,
    { cacheBytes, samplesOnly = false }: { readonly cacheBytes: number; readonly samplesOnly?: boolean | undefined },
  ) {
    this.#config = config;
    this.#executor = executor;
    this.#cacheBytes = cacheBytes;
    this.#samplesOnly = samplesOnly;
    this.#cache = new KeyValueCache(config, executor);
  }

  /**
   * Chooses a generator from the model, its adapter, the format and its use only, because generators differ in the last bits, and
   * a resumed run must choose the same.
   */
  create(adapter: Adapter | undefined, format: SamplingWeights): TokenGenerator {
    const cacheBytes = this.#cacheBytes;
    if (usesKernels(this.#config, adapter, format)) return new KernelGenerator(this.#config, cacheBytes);
    return new GraphGenerator(this.#config, this.#runner(adapter, format), this.#cache, { cacheBytes, ...RUN_LIMITS });
  }

  /** A runner that is disposed of when nobody uses it any more. */
  #runner(adapter: Adapter | undefined, format: SamplingWeights): DecodeRunner {
    const key = JSON.stringify([adapter, format]);
    const shared = this.#runners.get(key) ?? {
      runner: createRunner(this.#config, adapter, this.#executor, format, this.#samplesOnly),
      users: 0,
    };
    this.#runners.set(key, shared);
    shared.users += 1;
    const { runner } = shared;
    return {
      rowLimits: runner.rowLimits,
      prepare: (weights) => runner.prepare(weights),
      run: (...given) => runner.run(...given),
      dispose: async () => {
        shared.users -= 1;
        if (shared.users > 0) return;
        this.#runners.delete(key);
        await runner.dispose();
      },
    };
  }
}
