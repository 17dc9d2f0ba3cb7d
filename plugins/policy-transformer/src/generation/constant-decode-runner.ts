import type { Executable, Executor, HostArrays, RunOptions } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { Graph } from '../graph/graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import type { Adapter } from '../model/parameters.js';
import type { HostArray } from '../operations/tensor.js';
import { logitsGraph, type DecodeSizes } from './decode-graph.js';
import { standIns, tablesOf } from './decode-runner.js';
import { float32Product, type MatrixProduct } from './decode-weights.js';
import type { DecodeRunner } from './graph-generator.js';
import { RowScales } from './row-scales.js';
import { quantizedProduct, quantizeWeights, type QuantizedFormat } from './quantized-weights.js';
import { chooseToken, type Choice } from './sampling-graph.js';
import { statesOf, type ModelWeights, type PreparedWeights } from './token-generator.js';

/** Prefix of matrices that are constants: the same names without it are inputs. */
const CONSTANT = 'constant.';

const matrixOf = (name: string): string => (name.startsWith(CONSTANT) ? name.slice(CONSTANT.length) : '');

const constantProduct: MatrixProduct = (graph, of, names, sizes) =>
  float32Product(
    graph,
    of,
    names.map((name) => `${CONSTANT}${name}`),
    sizes,
  );

/** The numbers that a constant copy of the weights has. */
export type ConstantFormat = 'float32' | QuantizedFormat;

/**
 * Decodes with matrices that are constants of one session, because packed once they are faster than as an input: those of
 * a rounded copy up to three times. So that they exist only once, this session serves every shape, and choosing a
 * token, which differs, is a session of its own. An adapter is an input, and so are norms, biases and the embedding, in
 * which tokens are looked up: as a constant beside its packed copy it would exist once more.
 */
export class ConstantDecodeRunner implements DecodeRunner {
  readonly rowLimits: DecodeRunner['rowLimits'];
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #adapter: Adapter | undefined;
  readonly #format: ConstantFormat;
  readonly #choosing = new Map<string, Executable>();
  #logits: Executable | undefined;
  /** Only in DoRA. */
  readonly #rowScales: RowScales | undefined;
  /** The weights that are constants, or of which a copy is. */
  #copied: State | undefined;

  constructor(executor: Executor, config: DecoderConfig, adapter: Adapter | undefined, format: ConstantFormat) {
    this.#executor = executor;
    this.rowLimits = { least: executor.rowRules.leastRows, most: Infinity };
    this.#config = config;
    this.#adapter = adapter;
    this.#format = format;
    this.#rowScales = adapter?.dora ? new RowScales(executor, config, adapter) : undefined;
  }

  /** The session is made again unless the weights under an adapter are the same. */
  async prepare(weights: ModelWeights): Promise<PreparedWeights> {
    if (weights.frozen === undefined) await this.#disposeLogits();
    return { ...weights, derived: this.#rowScales ? [await this.#rowScales.of(weights)] : [] };
  }

  async run(
    weights: PreparedWeights,
    choice: Choice,
    { rows, width, capacity }: DecodeSizes,
    inputs: HostArrays,
    { state = [], ...options }: RunOptions,
  ): Promise<{ readonly [name: string]: HostArray }> {
    const copied = weights.frozen ?? weights.trainable;
    if (copied !== this.#copied) await this.#disposeLogits();
    this.#copied = copied;
    this.#logits ??= await this.#compileLogits(copied);
    const { logits } = await this.#logits.run(inputs, {
      ...options,
      sizes: { rows, width, capacity },
      state: [...statesOf(weights), ...weights.derived, ...state],
    });
    const choosing = await this.#choose(choice);
    return choosing.run({ ...inputs, logits: logits! }, { sizes: { rows } });
  }

  async dispose(): Promise<void> {
    await this.#disposeLogits();
    for (const executable of this.#choosing.values()) await executable.dispose();
    this.#choosing.clear();
    await this.#rowScales?.dispose();
  }

  async #disposeLogits(): Promise<void> {
    const logits = this.#logits;
    this.#logits = undefined;
    await logits?.dispose();
  }

  async #compileLogits(weights: State): Promise<Executable> {
    const format = this.#format;
    const isExact = format === 'float32';
    const fixed = isExact
      ? weights.renamed(matrixOf)
      : await quantizeWeights(this.#executor, this.#config, weights, format);
    const openSizes = standIns(this.#config);
    const program = logitsGraph(new Graph(), this.#config, {
      sizes: openSizes,
      tables: tablesOf(this.#config),
      adapter: this.#adapter,
      rowByRow: this.#executor.readsRowByRow,
      multiply: isExact ? constantProduct : quantizedProduct(format),
    });
    return this.#executor.compile({ ...program, openSizes: { ...openSizes }, fixed });
  }

  async #choose(choice: Choice): Promise<Executable> {
    const key = JSON.stringify(choice);
    const known = this.#choosing.get(key);
    if (known) return known;
    const { rows } = standIns(this.#config);
    const graph = new Graph();
    const { token, logprob } = chooseToken(graph, graph.input('logits', [rows, this.#config.vocabularySize]), choice);
    const executable = await this.#executor.compile({ outputs: { token, logprob }, openSizes: { rows } });
    this.#choosing.set(key, executable);
    return executable;
  }
}
