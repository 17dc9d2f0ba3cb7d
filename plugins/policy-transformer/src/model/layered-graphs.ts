/*
 * The training graph in parts, for models that are too large for one graph: embedding, one layer, head, loss, and the
 * backward pass of each. A backward part computes its forward part again, so between the parts only the inputs of the
 * layers are kept. All layers share the sessions of one layer: its weights have the names of layer 0.
 */
import type { Loss } from '@agentgym/cli';

import { gradients } from '../graph/gradients.js';
import { Graph } from '../graph/graph.js';
import { lowerLoss } from '../graph/lower-loss.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Shape, Tensor } from '../operations/tensor.js';
import { attention } from './attention.js';
import type { DecoderConfig } from './decoder-config.js';
import { decoderLayer, embedTokens, finalNorm, scaleEmbedding, stateEmbedding, stateWeights } from './decoder-layer.js';
import {
  EMBEDDING,
  FINAL_NORM,
  HEAD,
  trainableShapes,
  VALUE_BIAS,
  VALUE_WEIGHT,
  type ParameterOptions,
} from './parameters.js';
import { gradientState, metricOutput, termOutput } from './training-graph.js';

/** A part of the model: what it returns, and gradients that it adds to. */
export interface GraphPart {
  readonly outputs: { readonly [name: string]: Tensor };
  readonly gradients?: { readonly [state: string]: Tensor };
}

/** Sequences of one micro-batch. */
export interface LayerSizes {
  readonly rows: number;
  readonly width: number;
  /** Blocks of queries, a divisor of `width`. */
  readonly blocks: number;
}

/** Prefix of the weights that a layer's parts read, whichever layer it is. */
export const LAYER = 'model.layers.0.';

/** `tokens` int32 [n] to `hidden` [n, hidden]. */
export function embeddingPart(config: DecoderConfig, count: number): GraphPart {
  const graph = new Graph();
  const { embedding } = stateEmbedding(graph, config);
  return { outputs: { hidden: embedTokens(graph, config, embedding, graph.input('tokens', [count], 'int32')) } };
}

/** The gradient of a trained embedding, from `tokens` int32 [n] and `slope` [n, hidden]. */
export function embeddingGradientPart(config: DecoderConfig, count: number): GraphPart {
  const graph = new Graph();
  const tokens = graph.input('tokens', [count], 'int32');
  const slope = graph.input('slope', [count, config.hiddenSize]);
  const gradient = graph.scatterSum(scaleEmbedding(graph, config, slope), tokens, config.vocabularySize);
  return { outputs: {}, gradients: { [gradientState(EMBEDDING)]: gradient } };
}

/**
 * One layer: `hidden` [rows, width, hidden] to `hidden` [rows * width, hidden]. Other inputs, which make it the layer of its kind of
 * attention: `cos` and `sin` [width, headWidth / 2], which are `rotaryTables`, and `bias`, which is `causalMask`.
 */
export function layerPart(config: DecoderConfig, options: ParameterOptions, sizes: LayerSizes): GraphPart {
  const graph = new Graph();
  return { outputs: { hidden: layer(graph, config, options, sizes).output } };
}

/** Computes the layer again. `slope` is the derivative by its output; the output `slope` is that by its input. */
export function layerGradientPart(config: DecoderConfig, options: ParameterOptions, sizes: LayerSizes): GraphPart {
  const graph = new Graph();
  const { input, output } = layer(graph, config, options, sizes);
  const loss = graph.sum(graph.mul(output, graph.input('slope', output.shape)));
  return backward(graph, loss, config, options, { inputs: { slope: input }, isOwn: (name) => name.startsWith(LAYER) });
}

function layer(graph: GraphBuilder, config: DecoderConfig, { adapter }: ParameterOptions, sizes: LayerSizes) {
  const { rows, width, blocks } = sizes;
  const group = config.heads / config.keyValueHeads;
  const input = graph.input('hidden', [rows, width, config.hiddenSize]);
  const hidden = graph.reshape(input, [rows * width, config.hiddenSize]);
  const bias = graph.input('bias', [(group * width) / blocks, width]);
  const half = config.headWidth / 2;
  const angles = (name: string) => graph.expand(graph.input(name, [width, half]), [rows, width, half]);
  const output = decoderLayer(graph, config, stateWeights(graph, config, adapter), hidden, {
    layer: 0,
    positions: { rows, width, cos: angles('cos'), sin: angles('sin') },
    attend: attention(graph, config, rows, bias, blocks),
  });
  return { input, output };
}

/** Live quantities of slots, from `hidden` [slots, hidden], `targets` int32 [slots] and `inverseTemperature` []. */
export function headPart(config: DecoderConfig, options: ParameterOptions, slots: number): GraphPart {
  const { input: _, ...outputs } = head(new Graph(), config, options, slots);
  return { outputs };
}

/**
 * Computes the head again. `slope.NAME` [slots] are the derivatives by the live quantities; the output `slope` is that by
 * `hidden`.
 */
export function headGradientPart(config: DecoderConfig, options: ParameterOptions, slots: number): GraphPart {
  const graph = new Graph();
  const { input, ...live } = head(graph, config, options, slots);
  const loss = Object.entries(live)
    .map(([name, tensor]) => graph.sum(graph.mul(tensor, graph.input(`slope.${name}`, [slots]))))
    .reduce((sum, term) => graph.add(sum, term));
  const own = new Set([FINAL_NORM, config.tiedHead ? EMBEDDING : HEAD, VALUE_WEIGHT, VALUE_BIAS]);
  return backward(graph, loss, config, options, { inputs: { slope: input }, isOwn: (name) => own.has(name) });
}

function head(graph: GraphBuilder, config: DecoderConfig, { valueHead }: ParameterOptions, slots: number) {
  const { hiddenSize } = config;
  const input = graph.input('hidden', [slots, hiddenSize]);
  const final = finalNorm(graph, config, input);
  const tempered = graph.mul(final, graph.input('inverseTemperature', []));
  const logits = graph.matmul(tempered, stateEmbedding(graph, config).head, { transposeRight: true });
  const statistics = graph.tokenStatistics(logits, graph.input('targets', [slots], 'int32'));
  if (!valueHead) return { input, ...statistics };
  const product = graph.matmul(final, graph.state(VALUE_WEIGHT, [1, hiddenSize]), { transposeRight: true });
  return { input, ...statistics, value: graph.reshape(graph.add(product, graph.state(VALUE_BIAS, [1])), [slots]) };
}

/**
 * The loss of slots, whose live quantities `logprob`, `entropy` and `value` are inputs, [slots] each. Other inputs are
 * as in `trainingGraph`. Outputs: `term:NAME`, `metric:NAME` [], and `slope.NAME` [slots], the derivatives by the live
 * quantities.
 */
export function lossPart(
  loss: Loss,
  { valueHead }: ParameterOptions,
  { rows, slots }: { readonly rows: number; readonly slots: number },
): GraphPart {
  const graph = new Graph();
  const perSlot: Shape = [slots];
  const names = valueHead ? (['logprob', 'entropy', 'value'] as const) : (['logprob', 'entropy'] as const);
  const live = new Map(names.map((name) => [name as string, graph.input(name, perSlot)]));
  const lowered = lowerLoss(graph, loss, {
    rows,
    mask: graph.input('mask', perSlot, 'bool'),
    weight: graph.input('weight', perSlot),
    row: () => graph.input('row', perSlot, 'int32'),
    live: (name) => {
      const tensor = live.get(name);
      if (tensor === undefined) throw new Error(`the loss reads \`${name}\`, but the model has no value head`);
      return tensor;
    },
    batch: (name) => graph.input(name, perSlot),
  });
  const slopes = gradients(graph, lowered.total, [...live.values()]);
  return {
    outputs: {
      ...Object.fromEntries([...lowered.terms].map(([name, tensor]) => [termOutput(name), tensor])),
      ...Object.fromEntries([...lowered.metrics].map(([name, tensor]) => [metricOutput(name), tensor])),
      ...Object.fromEntries(names.map((name, index) => [`slope.${name}`, slopes[index]!])),
    },
  };
}

/** The derivatives of a part by its inputs and by those trainable parameters that it reads. */
function backward(
  graph: Graph,
  loss: Tensor,
  config: DecoderConfig,
  options: ParameterOptions,
  {
    inputs,
    isOwn,
  }: { readonly inputs: { readonly [name: string]: Tensor }; readonly isOwn: (name: string) => boolean },
): GraphPart {
  const trained = [...trainableShapes(config, options)].filter(([name]) => isOwn(name));
  const slopes = gradients(graph, loss, [
    ...Object.values(inputs),
    ...trained.map(([name, shape]) => graph.state(name, shape)),
  ]);
  const count = Object.keys(inputs).length;
  return {
    outputs: Object.fromEntries(Object.keys(inputs).map((name, index) => [name, slopes[index]!])),
    gradients: Object.fromEntries(trained.map(([name], index) => [gradientState(name), slopes[count + index]!])),
  };
}
