import type { Executor, HostArrays } from '../executors/executor.js';
import { Graph } from '../graph/graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { rotaryTables } from '../model/rotary-tables.js';
import { LONGEST_SINGLE_SUM } from '../operations/matmul.js';
import type { HostArray } from '../operations/tensor.js';
import { decodeGraph, type DecodeSizes } from './decode-graph.js';
import { DecodeSession, type Binding } from './decode-session.js';
import type { Parameters } from './decode-weights.js';
import type { DecodeRunner } from './generator.js';
import type { Choice } from './sampling-graph.js';

/**
 * Bytes of weights between which they become constants of the session. A step is then up to a fifth faster, and a policy version costs a compilation: more
 * than it saves in the smallest models, unless a version serves many runs; too much memory in large ones.
 */
const BOUND = { least: 1e6, most: 100e6 };

/** Primes that stand for the open sizes; the model's own sizes are no multiples of them. */
const STAND_INS = [100_003, 100_019, 100_043, 100_049, 100_057, 100_069];

/** Decode graphs on an executor: for each way of choosing a session for single tokens and one for runs of all other shapes. */
export class SessionDecodeRunner implements DecodeRunner {
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #sessions = new Map<string, DecodeSession>();
  #parameters: Parameters = new Map();

  constructor(executor: Executor, config: DecoderConfig) {
    this.#executor = executor;
    this.#config = config;
  }

  /** Takes weights for the runs to come. They must not change while they are in use. */
  async useWeights(parameters: Parameters): Promise<void> {
    this.#parameters = parameters;
    for (const session of this.#sessions.values()) await session.useWeights(parameters, this.#binding());
  }

  async run(choice: Choice, sizes: DecodeSizes, inputs: HostArrays): Promise<{ readonly [name: string]: HostArray }> {
    const session = await this.#session(choice, sizes.width === 1);
    return session.run(inputs, sizes);
  }

  async dispose(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) await session.dispose();
  }

  /**
   * When weights become constants. The engine cuts long sums elsewhere where an operand is packed, so when must be a function of the model alone; only a
   * model without a long sum has the same bits either way, and may change over.
   */
  #binding(): Binding {
    const { hiddenSize, heads, headWidth, intermediateSize } = this.#config;
    const bytes = [...this.#parameters.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes > BOUND.most) return 'never';
    if (bytes >= BOUND.least) return 'always';
    return Math.max(hiddenSize, heads * headWidth, intermediateSize) <= LONGEST_SINGLE_SUM ? 'later' : 'never';
  }

  async #session(choice: Choice, single: boolean): Promise<DecodeSession> {
    const key = JSON.stringify([choice, single]);
    const known = this.#sessions.get(key);
    if (known) return known;
    const [rows, width, capacity] = STAND_INS.filter((prime) => this.#config.vocabularySize % prime !== 0) as [
      number,
      number,
      number,
    ];
    const openSizes = single ? { rows, capacity } : { rows, width, capacity };
    const tables = rotaryTables(this.#config, this.#config.maxPositions);
    const sizes = { rows, capacity, width: single ? 1 : width };
    const { outputs, weights } = decodeGraph(new Graph(), this.#config, sizes, choice, tables);
    const session = new DecodeSession(this.#executor, { outputs, openSizes }, weights);
    await session.useWeights(this.#parameters, this.#binding());
    this.#sessions.set(key, session);
    return session;
  }
}
