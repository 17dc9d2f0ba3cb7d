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

/** The decode graph on an executor: one session per way of choosing, for runs of all shapes; compiled again for new weights where it holds them. */
export class SessionDecodeRunner implements DecodeRunner {
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #sessions = new Map<string, Executable>();
  /** By the names of the graph's inputs. */
  readonly #weights: { [name: string]: Float32Array } = {};
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
    for (const name of Object.keys(this.#weights)) this.#weights[name] = joinedParameters(name, parameters);
    const bytes = [...parameters.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#bound = bytes >= BOUND.least && bytes <= BOUND.most;
  }

  async run(choice: Choice, sizes: DecodeSizes, inputs: HostArrays): Promise<{ readonly [name: string]: HostArray }> {
    const session = await this.#session(choice);
    return session.run(this.#bound ? inputs : { ...inputs, ...this.#weights }, { ...sizes });
  }

  async dispose(): Promise<void> {
    await this.#disposeSessions();
  }

  async #session(choice: Choice): Promise<Executable> {
    const key = JSON.stringify(choice);
    const known = this.#sessions.get(key);
    if (known) return known;
    const [rows, width, capacity] = STAND_INS.filter((prime) => this.#config.vocabularySize % prime !== 0) as [
      number,
      number,
      number,
    ];
    const openSizes = { rows, width, capacity };
    const tables = rotaryTables(this.#config, this.#config.maxPositions);
    const { outputs, weights } = decodeGraph(new Graph(), this.#config, openSizes, choice, tables);
    for (const name of weights) this.#weights[name] = joinedParameters(name, this.#parameters);
    const session = await this.#executor.compile({
      outputs,
      ...(this.#bound ? { initializers: this.#weights } : {}),
      openSizes,
    });
    this.#sessions.set(key, session);
    return session;
  }

  async #disposeSessions(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) await session.dispose();
  }
}
