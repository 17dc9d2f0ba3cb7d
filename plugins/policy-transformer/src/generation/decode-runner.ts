import type { HostArrays, Executable, Executor } from '../executors/executor.js';
import { Graph } from '../graph/graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { rotaryTables } from '../model/rotary-tables.js';
import type { HostArray } from '../operations/tensor.js';
import { decodeGraph, type DecodeSizes } from './decode-graph.js';
import { joinedParameters, type Parameters } from './decode-weights.js';
import type { DecodeRunner } from './generator.js';
import type { Choice } from './sampling-graph.js';

/**
 * Bytes of weights between which they become constants of the session, which packs them once. A step is then up to a fifth faster, and a policy version costs
 * a compilation: more than it saves in the smallest models, too much memory in large ones. A function of the model alone, since it shows in the bits.
 */
const BOUND = { least: 1e6, most: 100e6 };

/** Primes that stand for the open sizes; the model's own sizes are no multiples of them. */
const STAND_INS = [100_003, 100_019, 100_043, 100_049, 100_057, 100_069];

/** A decode graph compiled, and the weights that it reads, by the names of its inputs. */
interface Session {
  readonly executable: Executable;
  readonly weights: { [name: string]: Float32Array };
}

/**
 * The decode graph on an executor: for each way of choosing a session for single tokens and one for runs of all other shapes; compiled again for new weights
 * where they hold them.
 */
export class SessionDecodeRunner implements DecodeRunner {
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #sessions = new Map<string, Session>();
  #parameters: Parameters = new Map();
  #bound = false;

  constructor(executor: Executor, config: DecoderConfig) {
    this.#executor = executor;
    this.#config = config;
  }

  /** Takes weights for the runs to come. They must not change while they are in use. */
  async useWeights(parameters: Parameters): Promise<void> {
    if (this.#bound) await this.#disposeSessions();
    this.#parameters = parameters;
    for (const { weights } of this.#sessions.values()) {
      for (const name of Object.keys(weights)) weights[name] = joinedParameters(name, parameters);
    }
    const bytes = [...parameters.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#bound = bytes >= BOUND.least && bytes <= BOUND.most;
  }

  async run(choice: Choice, sizes: DecodeSizes, inputs: HostArrays): Promise<{ readonly [name: string]: HostArray }> {
    const { executable, weights } = await this.#session(choice, sizes.width === 1);
    return executable.run(this.#bound ? inputs : { ...inputs, ...weights }, { ...sizes });
  }

  async dispose(): Promise<void> {
    await this.#disposeSessions();
  }

  async #session(choice: Choice, single: boolean): Promise<Session> {
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
    const graph = new Graph();
    const sizes = { rows, capacity, width: single ? 1 : width };
    const { outputs, weights: names } = decodeGraph(graph, this.#config, sizes, choice, tables);
    const weights = Object.fromEntries([...names].map((name) => [name, joinedParameters(name, this.#parameters)]));
    const initializers = this.#bound ? { initializers: weights } : {};
    const executable = await this.#executor.compile({ outputs, ...initializers, openSizes });
    this.#sessions.set(key, { executable, weights });
    return { executable, weights };
  }

  async #disposeSessions(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const { executable } of sessions) await executable.dispose();
  }
}
