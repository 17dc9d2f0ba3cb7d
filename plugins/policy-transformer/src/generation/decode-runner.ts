import type { Executor, HostArrays, RunOptions } from '../executors/executor.js';
import { Graph } from '../graph/graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { parameterShapes, type Adapter } from '../model/parameters.js';
import { rotaryTables, type RotaryTables } from '../model/rotary-tables.js';
import { totalElements } from '../operations/shapes.js';
import type { HostArray } from '../operations/tensor.js';
import { decodeGraph, type DecodeSizes } from './decode-graph.js';
import { DecodeSession } from './decode-session.js';
import type { DecodeRunner } from './graph-generator.js';
import { RowScales } from './row-scales.js';
import type { Choice } from './sampling-graph.js';
import type { ModelWeights, PreparedWeights } from './token-generator.js';

const FLOAT = Float32Array.BYTES_PER_ELEMENT;

/** Primes that represent the open sizes; the model's own sizes are not multiples of them. */
const STAND_INS = [100_003, 100_019, 100_043, 100_049, 100_057, 100_069];

/** The numbers that represent the sizes of a decode graph. */
export function standIns({ vocabularySize }: DecoderConfig): DecodeSizes {
  const free = STAND_INS.filter((prime) => vocabularySize % prime !== 0);
  const [rows, width, capacity] = free as [number, number, number];
  return { rows, width, capacity };
}

/** Rotary tables of each kind of attention. */
export function tablesOf(config: DecoderConfig): RotaryTables[] {
  return config.attentionKinds.map(({ rope }) => rotaryTables(config, rope, config.maxPositions));
}

/**
 * Runs decode graphs on an executor. Each way of choosing has one session for single tokens and one for all other
 * shapes.
 */
export class SessionDecodeRunner implements DecodeRunner {
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #adapter: Adapter | undefined;
  /**
   * Whether weights become constants. This depends only on the model and the engine, because the engine splits long
   * sums differently if an operand is packed.
   */
  readonly #binds: boolean;
  readonly rowLimits: DecodeRunner['rowLimits'];
  readonly #sessions = new Map<string, DecodeSession>();
  /** Only in DoRA. */
  readonly #rowScales: RowScales | undefined;

  constructor(executor: Executor, config: DecoderConfig, adapter?: Adapter) {
    this.#executor = executor;
    this.#config = config;
    this.#adapter = adapter;
    this.#rowScales = adapter?.dora ? new RowScales(executor, config, adapter) : undefined;
    this.#binds = totalElements(parameterShapes(config, { valueHead: false })) * FLOAT <= executor.mostFixedBytes;
    const { leastRows, mostFewRows } = executor.rowRules;
    this.rowLimits = this.#binds ? { least: leastRows, most: Infinity } : { least: 1, most: mostFewRows };
  }

  async prepare(weights: ModelWeights): Promise<PreparedWeights> {
    // Constants of a program have the numbers that the weights had when it was compiled.
    if (weights.frozen === undefined) for (const session of this.#sessions.values()) await session.dispose();
    return { ...weights, derived: this.#rowScales ? [await this.#rowScales.of(weights)] : [] };
  }

  async run(
    weights: PreparedWeights,
    choice: Choice,
    sizes: DecodeSizes,
    inputs: HostArrays,
    options: RunOptions,
  ): Promise<{ readonly [name: string]: HostArray }> {
    const state = [...weights.derived, ...(options.state ?? [])];
    const session = this.#session(choice, sizes.width === 1);
    return session.run(weights, this.#binds, inputs, { ...options, state, sizes: { ...sizes } });
  }

  async dispose(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) await session.dispose();
    await this.#rowScales?.dispose();
  }

  #session(choice: Choice, single: boolean): DecodeSession {
    const key = JSON.stringify([choice, single]);
    const known = this.#sessions.get(key);
    if (known) return known;
    const { rows, width, capacity } = standIns(this.#config);
    const openSizes = single ? { rows, capacity } : { rows, width, capacity };
    const sizes = { rows, capacity, width: single ? 1 : width };
    const options = {
      ...{ sizes, tables: tablesOf(this.#config), adapter: this.#adapter, fewRows: !this.#binds },
      rowByRow: this.#executor.readsRowByRow,
    };
    const program = decodeGraph(new Graph(), this.#config, choice, options);
    const session = new DecodeSession(this.#executor, { ...program, openSizes });
    this.#sessions.set(key, session);
    return session;
  }
}
