import type { Executor, HostArrays } from '../executors/executor.js';
import { Graph } from '../graph/graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { rotaryTables } from '../model/rotary-tables.js';
import type { HostArray } from '../operations/tensor.js';
import { decodeGraph, type DecodeSizes } from './decode-graph.js';
import { DecodeSession } from './decode-session.js';
import type { DecodeRunner } from './graph-generator.js';
import type { Choice } from './sampling-graph.js';
import type { ModelWeights } from './token-generator.js';

/**
 * Bytes of weights up to which they become constants of the session. A step is then up to a fifth faster, and a policy
 * version costs a compilation; in large models the second copy, and compiling it, weigh more.
 */
const MOST_BOUND = 100e6;

/** Primes that represent the open sizes; the model's own sizes are not multiples of them. */
const STAND_INS = [100_003, 100_019, 100_043, 100_049, 100_057, 100_069];

/**
 * Decode graphs on an executor: for each way of choosing a session for single tokens and one for runs of all other
 * shapes.
 */
export class SessionDecodeRunner implements DecodeRunner {
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #mostBound: number;
  readonly #sessions = new Map<string, DecodeSession>();
  #parameters: ModelWeights = new Map();

  /** @param mostBound bytes of weights up to which they become constants */
  constructor(executor: Executor, config: DecoderConfig, mostBound = MOST_BOUND) {
    this.#executor = executor;
    this.#config = config;
    this.#mostBound = mostBound;
  }

  /** Takes weights for the runs to come. They must not change while they are in use. */
  async useWeights(parameters: ModelWeights): Promise<void> {
    this.#parameters = parameters;
    for (const session of this.#sessions.values()) await session.useWeights(parameters, this.#binds());
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
   * Whether weights become constants: a function of the model alone, since the engine cuts long sums elsewhere where an
   * operand is packed.
   */
  #binds(): boolean {
    const bytes = [...this.#parameters.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    return bytes <= this.#mostBound;
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
    await session.useWeights(this.#parameters, this.#binds());
    this.#sessions.set(key, session);
    return session;
  }
}
