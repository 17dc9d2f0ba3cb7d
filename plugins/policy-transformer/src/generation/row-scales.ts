import type { Executable, Executor } from '../executors/executor.js';
import type { State } from '../executors/state.js';
import { Graph } from '../graph/graph.js';
import { rowScale } from '../model/adapter-graph.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { namesOfLayer } from '../model/layered-graphs.js';
import { projectionSizes, type Adapter, type Projection } from '../model/parameters.js';
import { statesOf, type ModelWeights } from './token-generator.js';

/** The name of a matrix's `rowScale` in generation. */
export function rowScaleState(layer: number, part: Projection): string {
  return `model.layers.${layer}.${part}.row_scale`;
}

/**
 * What DoRA multiplies the outputs of matrices by. It depends on the weights only, and reads all of them, so generation
 * computes it once for each version.
 */
export class RowScales {
  readonly #executor: Executor;
  readonly #config: DecoderConfig;
  readonly #adapter: Adapter;
  #session: Executable | undefined;

  constructor(executor: Executor, config: DecoderConfig, adapter: Adapter) {
    this.#executor = executor;
    this.#config = config;
    this.#adapter = adapter;
  }

  async of(weights: ModelWeights): Promise<State> {
    const { targets } = this.#adapter;
    const layers = Array.from({ length: this.#config.layers }, (_, layer) => layer);
    const scales = this.#executor.allocate(
      new Map(
        layers.flatMap((layer) =>
          targets.map((part) => [rowScaleState(layer, part), [projectionSizes(this.#config, part).outputs]] as const),
        ),
      ),
    );
    this.#session ??= await this.#compile();
    for (const layer of layers) {
      const state = statesOf(weights).map((each) => each.renamed(namesOfLayer(layer)));
      const outputs = await this.#session.run({}, { state });
      for (const part of targets) await scales.write(rowScaleState(layer, part), outputs[part] as Float32Array);
    }
    return scales;
  }

  async dispose(): Promise<void> {
    await this.#session?.dispose();
    this.#session = undefined;
  }

  /** One layer, whichever it is: its weights have the names of layer 0. */
  #compile(): Promise<Executable> {
    const graph = new Graph();
    const outputs = this.#adapter.targets.map(
      (part) => [part, rowScale(graph, this.#config, this.#adapter, 0, part)] as const,
    );
    return this.#executor.compile({ outputs: Object.fromEntries(outputs) });
  }
}
