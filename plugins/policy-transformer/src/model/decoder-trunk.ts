import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';
import { attention, rotaryPositions } from './attention.js';
import { attentionKindOf, type DecoderConfig } from './decoder-config.js';
import { decoderLayer, embedTokens, finalNorm, stateEmbedding, stateWeights, type Kept } from './decoder-layer.js';
import type { Adapter } from './parameters.js';

export interface TrunkSizes {
  readonly rows: number;
  readonly width: number;
  /** Blocks of queries with separate attention, each only over the keys up to its end. */
  readonly blocks: number;
}

export interface TrunkOptions {
  /** int32 [rows, width] positions of the tokens in their sequences. */
  readonly positions: Tensor;
  /**
   * float32, added to the scores of the last block of queries in layers with this window, broadcasts to [rows, 1, heads
   * / keyValueHeads * width / blocks, width]; its last columns are added to those of other blocks.
   */
  readonly bias: (window: number | undefined) => Tensor;
  /** The positions that have a query in the last layer, the same number in each row. Default: all. */
  readonly asking?: Asking;
  /** Low-rank factors beside the matrices. Default: none. */
  readonly adapter?: Adapter | undefined;
  /** The positions whose output is needed, as ids into the positions with a query. Default: all. */
  readonly kept?: Kept;
}

interface Asking extends Kept {
  /** int32 [rows, asks] */
  readonly positions: Tensor;
  /** Broadcasts to [rows, 1, heads / keyValueHeads * asks, width]; follows the window of the last layer. */
  readonly bias: Tensor;
}

export interface Trunk {
  /** [n, hidden] after the final norm. */
  readonly final: Tensor;
  /** The head's matrix [vocabulary, hidden]. */
  readonly head: Tensor;
  /** [rows * width, hidden] input of each layer. The first is the embedding. */
  readonly states: readonly Tensor[];
}

/**
 * Runs whole sequences through the decoder without a cache, for training and evaluation. Weights are state, `tokens`
 * int32 [rows, width] are an input.
 */
export function decoderTrunk(
  graph: GraphBuilder,
  config: DecoderConfig,
  { rows, width, blocks }: TrunkSizes,
  options: TrunkOptions,
): Trunk {
  const { layers } = config;
  const weights = stateWeights(graph, config, options.adapter);
  const { embedding, head } = stateEmbedding(graph, config);
  const kinds = config.attentionKinds.map(({ rope, window }) => ({
    rope,
    positions: rotaryPositions(graph, config, rope, options.positions),
    bias: options.bias(window),
  }));

  const ids = graph.reshape(graph.input('tokens', [rows, width], 'int32'), [rows * width]);
  const states: Tensor[] = [];
  let hidden = embedTokens(graph, config, embedding, ids);
  for (let layer = 0; layer < layers; layer++) {
    states.push(hidden);
    const { asking, kept } = layer === layers - 1 ? options : {};
    const { rope, positions, bias } = kinds[attentionKindOf(config, layer)]!;
    hidden = decoderLayer(graph, config, weights, hidden, {
      layer,
      positions,
      attend: asking ? attention(graph, config, rows, asking.bias) : attention(graph, config, rows, bias, blocks),
      ...(asking && { queries: { positions: rotaryPositions(graph, config, rope, asking.positions), asking } }),
      ...(kept && { kept }),
    });
  }
  return { final: finalNorm(graph, config, hidden), head, states };
}
