import type { Loss } from '@agentgym/cli';

import { gradients } from '../graph/gradients.js';
import { Graph } from '../graph/graph.js';
import { lowerLoss } from '../graph/lower-loss.js';
import type { Shape, Tensor } from '../operations/tensor.js';
import { maskInput } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import { decoderTrunk } from './decoder-trunk.js';
import { trainableShapes, VALUE_BIAS, VALUE_WEIGHT, type ParameterOptions } from './parameters.js';

/**
 * Sizes of a micro-batch: `rows` of `width` tokens, sampled tokens in total (`slots`), the positions that predict them
 * (`points`), and the most of these in one row (`asks`). A row holds one sequence or several; an episode has one or several.
 */
export interface TrainingSizes {
  readonly episodes: number;
  readonly rows: number;
  readonly width: number;
  readonly slots: number;
  readonly points: number;
  readonly asks: number;
  /** A point may predict several slots. Otherwise points are slots. */
  readonly shared: boolean;
  /** Blocks of queries (see `queryBlocks`), a divisor of `width`. With several, a row holds one sequence. */
  readonly blocks: number;
}

/** Names of a graph's outputs. */
export const termOutput = (name: string): string => `term:${name}`;
export const metricOutput = (name: string): string => `metric:${name}`;
/** The state that holds the sum of a parameter's gradients. */
export const gradientState = (parameter: string): string => `gradient.${parameter}`;

interface Live {
  readonly logprob: Tensor;
  readonly entropy: Tensor;
  readonly value?: Tensor;
}

/**
 * The live quantities at the sampled tokens. Parameters are state. Inputs: `tokens` int32 [rows, width]; `positions` int32
 * [rows, width], the position of each token in its sequence; for each window of the layers, `maskInput`: what is added to
 * scores, `rowMasks`, or `causalMask` where there are several blocks; the inputs of `askingInputs`: the positions that
 * predict sampled tokens, `asked` int32 [rows * asks] as indices into [rows * width], `askedPositions` int32 [rows, asks],
 * `askedBias` [rows, 1, heads / keyValueHeads * asks, width], 0 for visible positions and -1e9 for others, `askOfPoint`
 * int32 [points], which of these positions are used; what `liveAtSlots` reads; and `inverseTemperature` []. In the last
 * layer only these positions have queries; its feed-forward part and the head are computed only for the points.
 */
function liveTensors(
  graph: Graph,
  config: DecoderConfig,
  sizes: TrainingSizes,
  { valueHead, adapter }: ParameterOptions,
  derivatives = false,
): Live {
  const { rows, width, points, asks } = sizes;
  const group = config.heads / config.keyValueHeads;
  const integers = (name: string, shape: Shape) => graph.input(name, shape, 'int32');
  const asking = {
    ids: integers('asked', [rows * asks]),
    positions: integers('askedPositions', [rows, asks]),
    bias: graph.input('askedBias', [rows, 1, group * asks, width]),
    ...(derivatives && { inverse: integers('askOfPlace', [rows * width]) }),
  };
  const kept = {
    ids: integers('askOfPoint', [points]),
    ...(derivatives && { inverse: integers('pointOfAsk', [rows * asks]) }),
  };
  const { final, head } = decoderTrunk(graph, config, sizes, {
    asking,
    kept,
    adapter,
    positions: integers('positions', [rows, width]),
    bias: (window) => graph.input(maskInput(window), maskShape(sizes, group)),
  });
  // Scaling [points, hidden] is cheaper than scaling the logits.
  const tempered = graph.mul(final, graph.input('inverseTemperature', []));
  const logits = graph.matmul(tempered, head, { transposeRight: true });
  if (!valueHead) return liveAtSlots(graph, sizes, logits);
  const product = graph.matmul(final, graph.state(VALUE_WEIGHT, [1, config.hiddenSize]), { transposeRight: true });
  const value = graph.reshape(graph.add(product, graph.state(VALUE_BIAS, [1])), [points]);
  return liveAtSlots(graph, sizes, logits, value);
}

/**
 * The live quantities of slots from the logits [points, vocabulary] and the values [points]. If points are slots, it reads
 * `targets` int32 [slots], the token of each slot. If points are shared, it reads `pointOfSlot` int32 [slots], and
 * `logitOfSlot` int32 [slots], the index of the slot's token in the logits: the distribution is computed once for all
 * slots of a point.
 */
function liveAtSlots(graph: Graph, { slots, points, shared }: TrainingSizes, logits: Tensor, value?: Tensor): Live {
  if (!shared) {
    const { logprob, entropy } = graph.tokenStatistics(logits, graph.input('targets', [slots], 'int32'));
    return { logprob, entropy, ...(value && { value }) };
  }
  const pointOfSlot = graph.input('pointOfSlot', [slots], 'int32');
  const distribution = graph.logSoftmax(logits);
  const all = graph.reshape(distribution, [points * logits.shape[1]!]);
  const entropy = graph.neg(graph.sum(graph.mul(graph.exp(distribution), distribution), { axes: [-1] }));
  return {
    logprob: graph.gather(all, graph.input('logitOfSlot', [slots], 'int32')),
    entropy: graph.gather(entropy, pointOfSlot),
    ...(value && { value: graph.gather(value, pointOfSlot) }),
  };
}

function maskShape({ rows, width, blocks }: TrainingSizes, group: number): Shape {
  return blocks === 1 ? [rows, 1, group * width, width] : [(group * width) / blocks, width];
}

/** Outputs `logprob`, `entropy` and, with a value head, `value`, [slots] each. */
export function evaluationGraph(
  config: DecoderConfig,
  sizes: TrainingSizes,
  options: ParameterOptions,
): { readonly [name: string]: Tensor } {
  return { ...liveTensors(new Graph(), config, sizes, options) };
}

/**
 * Forward, loss and backward in one graph. Inputs are as in `evaluationGraph`, and: `mask` bool, `weight` float32,
 * `episode` int32 and each array that the loss reads (`logprobs`, `advantages`, ...) float32, [slots] each; `askOfPlace`
 * int32 [rows * width] and `pointOfAsk` int32 [rows * asks], the inverses of `asked` and `askOfPoint` (an entry without
 * an inverse is the length of that array). Outputs are as in `evaluationGraph`, and: `term:NAME`, `metric:NAME` []
 * (sums over slots). `gradients` are those of the trainable parameters, by `gradientState`.
 */
export function trainingGraph(
  config: DecoderConfig,
  sizes: TrainingSizes,
  options: ParameterOptions,
  loss: Loss,
): { readonly outputs: { readonly [name: string]: Tensor }; readonly gradients: { readonly [state: string]: Tensor } } {
  const graph = new Graph();
  const live = liveTensors(graph, config, sizes, options, true);
  const perSlot = [sizes.slots];
  const lowered = lowerLoss(graph, loss, {
    episodes: sizes.episodes,
    mask: graph.input('mask', perSlot, 'bool'),
    weight: graph.input('weight', perSlot),
    episode: () => graph.input('episode', perSlot, 'int32'),
    live: (name) => {
      const tensor = live[name];
      if (tensor === undefined) throw new Error(`the loss reads \`${name}\`, but the model has no value head`);
      return tensor;
    },
    batch: (name) => graph.input(name, perSlot),
  });
  const names = [...trainableShapes(config, options)];
  const slopes = gradients(
    graph,
    lowered.total,
    names.map(([name, shape]) => graph.state(name, shape)),
  );
  return {
    outputs: {
      ...live,
      ...Object.fromEntries([...lowered.terms].map(([name, tensor]) => [termOutput(name), tensor])),
      ...Object.fromEntries([...lowered.metrics].map(([name, tensor]) => [metricOutput(name), tensor])),
    },
    gradients: Object.fromEntries(slopes.map((tensor, index) => [gradientState(names[index]![0]), tensor])),
  };
}
