/*
 * The training graph in parts, for models that are too large for one graph: embedding, one layer, head, loss, and the
 * backward pass of each. A backward part computes its forward part again, except what the layer kept. All layers share
 * the sessions of one layer: its weights have the names of layer 0. Sequences lie one after the other, [tokens, ...].
 */
import type { Loss } from '@agentgym/cli';

import { gradients } from '../graph/gradients.js';
import { Graph } from '../graph/graph.js';
import { lowerLoss } from '../graph/lower-loss.js';
import { substitute } from '../graph/substitute.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Shape, Tensor } from '../operations/tensor.js';
import { packedAttention, type PackedSizes } from './attention.js';
import type { DecoderConfig } from './decoder-config.js';
import { decoderLayer, embedTokens, finalNorm, scaleEmbedding, stateEmbedding, stateWeights } from './decoder-layer.js';
import {
  EMBEDDING,
  FINAL_NORM,
  headName,
  PROJECTIONS,
  projectionSizes,
  trainableShapes,
  VALUE_BIAS,
  VALUE_WEIGHT,
  type ParameterOptions,
  type Projection,
} from './parameters.js';
import { gradientState, metricOutput, termOutput } from './training-graph.js';

/** A part of the model: what it returns, and gradients that it adds to. */
export interface GraphPart {
  readonly outputs: { readonly [name: string]: Tensor };
  readonly gradients?: { readonly [state: string]: Tensor };
}

/** Prefix of the weights that a layer's parts read, whichever layer it is. */
const LAYER = 'model.layers.0.';

/** Renames the weights that the parts read to those of a layer. */
export function namesOfLayer(layer: number): (name: string) => string {
  return (name) => name.replace(LAYER, `model.layers.${layer}.`);
}

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
 * Products inside a layer that may be kept for the backward pass, [tokens, outputs] each: all that it reads, which
 * the last product is not. Each number of them costs as much to compute again, a sum over hidden states.
 */
const KEPT: readonly Projection[] = PROJECTIONS.filter((part) => part !== 'mlp.down_proj');

/** Bytes of what a layer may keep of one token: products of its matrices, and of the factors A of its adapter. */
export function keptBytes(config: DecoderConfig, { adapter }: ParameterOptions): number {
  const wide = KEPT.reduce((sum, part) => sum + projectionSizes(config, part).outputs, 0);
  const narrow = adapter === undefined ? 0 : adapter.rank * adapter.targets.length;
  return (wide + narrow) * Float32Array.BYTES_PER_ELEMENT;
}

/**
 * One layer: `hidden` [tokens, hidden] to `hidden`. Other inputs: `positions` int32 [1, tokens] and the places of
 * `PackedAttention`; and, which make it the layer of its kind of attention, `cos` and `sin` [width, headWidth / 2],
 * which are `rotaryTables`, and `bias`, which is the mask. If it keeps, the outputs are also `kept.NAME`.
 */
export function layerPart(
  config: DecoderConfig,
  options: ParameterOptions,
  sizes: PackedSizes,
  keeps: boolean,
): GraphPart {
  const { output, inside } = layer(new Graph(), config, options, sizes);
  return { outputs: { hidden: output, ...(keeps && inside) } };
}

/**
 * Computes the layer again, except what was kept, which is then an input. `slope` is the derivative by its output; the
 * output `slope` is that by its input.
 */
export function layerGradientPart(
  config: DecoderConfig,
  options: ParameterOptions,
  sizes: PackedSizes,
  keeps: boolean,
): GraphPart {
  const graph = new Graph();
  const { input, output, inside } = layer(graph, config, options, sizes);
  const loss = graph.sum(graph.mul(output, graph.input('slope', output.shape)));
  const part = backward(graph, loss, config, options, {
    inputs: { slope: input },
    isOwn: (name) => name.startsWith(LAYER),
  });
  if (!keeps) return part;
  const kept = new Map(Object.entries(inside).map(([name, tensor]) => [tensor, graph.input(name, tensor.shape)]));
  const replace = (named: { readonly [name: string]: Tensor }) => {
    const tensors = substitute(graph, Object.values(named), kept);
    return Object.fromEntries(Object.keys(named).map((name, index) => [name, tensors[index]!]));
  };
  return { outputs: replace(part.outputs), gradients: replace(part.gradients ?? {}) };
}

function layer(graph: GraphBuilder, config: DecoderConfig, { adapter }: ParameterOptions, sizes: PackedSizes) {
  const { tokens, width } = sizes;
  const input = graph.input('hidden', [tokens, config.hiddenSize]);
  const positions = graph.input('positions', [1, tokens], 'int32');
  const angles = (name: string) => graph.gather(graph.input(name, [width, config.headWidth / 2]), positions);
  const inside: { [name: string]: Tensor } = {};
  const weights = stateWeights(graph, config, adapter, (part, { whole, narrow }) => {
    if (KEPT.includes(part)) inside[`kept.${part}`] = whole;
    if (narrow) inside[`kept.${part}.narrow`] = narrow;
  });
  const output = decoderLayer(graph, config, weights, input, {
    layer: 0,
    positions: { rows: 1, width: tokens, cos: angles('cos'), sin: angles('sin') },
    attend: packedAttention(graph, config, sizes),
  });
  return { input, output, inside };
}

/** Live quantities of slots, from `hidden` [slots, hidden], `targets` int32 [slots] and `inverseTemperature` []. */
export function headPart(config: DecoderConfig, options: ParameterOptions, slots: number): GraphPart {
  const graph = new Graph();
  if (trainsHead(config, options)) return { outputs: head(graph, config, options, slots).live };
  const { logits, probabilities, logPartition, logprob } = frozenHead(graph, config, slots);
  const mean = graph.sum(graph.mul(probabilities, logits), { axes: [1] });
  return { outputs: { logprob, entropy: graph.sub(logPartition, mean) } };
}

/**
 * Like `headPart`, for a head that is not trained: each live quantity NAME depends on its own row of `hidden` only, and
 * `direction.NAME` [slots, hidden] is the derivative by it. So the head need not be computed again when the derivatives
 * of the loss are known.
 *
 * With h a row that the head reads, w the rows of its matrix, z = h w the logits, p their probabilities and m the mean
 * of w under p: d logprob / dh = w_target - m, and dH / dh = -sum p (log p + H) w. The mean of z under p is h m, so H =
 * log Z - h m. Nothing as large as z and p is written beside them, unless the loss reads the entropy.
 */
export function headDirectionsPart(
  config: DecoderConfig,
  slots: number,
  names: readonly ('logprob' | 'entropy')[],
): GraphPart {
  const graph = new Graph();
  const { input, tempered, matrix, targets, logits, ...head } = frozenHead(graph, config, slots);
  const { probabilities, logPartition, logprob } = head;
  const mean = graph.matmul(probabilities, matrix);
  const entropy = graph.sub(logPartition, graph.sum(graph.mul(tempered, mean), { axes: [1] }));
  const byTempered = {
    logprob: () => graph.sub(graph.gather(matrix, targets), mean),
    entropy: () => {
      const surplus = graph.add(logits, graph.reshape(graph.sub(entropy, logPartition), [slots, 1]));
      return graph.neg(graph.matmul(graph.mul(probabilities, surplus), matrix));
    },
  };
  const directions = names.map((name) => {
    const sum = graph.sum(graph.mul(tempered, graph.stopGradient(byTempered[name]())));
    return [`direction.${name}`, gradients(graph, sum, [input])[0]!] as const;
  });
  return { outputs: { logprob, entropy, ...Object.fromEntries(directions) } };
}

/** Whether the head has weights that are trained. */
export function trainsHead(config: DecoderConfig, options: ParameterOptions): boolean {
  const trained = trainableShapes(config, options);
  return headParameters(config).some((name) => trained.has(name));
}

function headParameters(config: DecoderConfig): readonly string[] {
  return [FINAL_NORM, headName(config), VALUE_WEIGHT, VALUE_BIAS];
}

/**
 * Computes the head again. `slope.NAME` [slots] are the derivatives by the live quantities; the output `slope` is that by
 * `hidden`.
 */
export function headGradientPart(config: DecoderConfig, options: ParameterOptions, slots: number): GraphPart {
  const graph = new Graph();
  const { input, live } = head(graph, config, options, slots);
  const loss = Object.entries(live)
    .map(([name, tensor]) => graph.sum(graph.mul(tensor, graph.input(`slope.${name}`, [slots]))))
    .reduce((sum, term) => graph.add(sum, term));
  const own = new Set(headParameters(config));
  return backward(graph, loss, config, options, { inputs: { slope: input }, isOwn: (name) => own.has(name) });
}

function head(graph: GraphBuilder, config: DecoderConfig, { valueHead }: ParameterOptions, slots: number) {
  const { input, final, logits, targets } = logitsOf(graph, config, slots);
  const statistics = graph.tokenStatistics(logits, targets);
  if (!valueHead) return { input, live: statistics };
  const product = graph.matmul(final, graph.state(VALUE_WEIGHT, [1, config.hiddenSize]), { transposeRight: true });
  const value = graph.reshape(graph.add(product, graph.state(VALUE_BIAS, [1])), [slots]);
  return { input, live: { ...statistics, value } };
}

/** What evaluation and training read of a head without trained weights, so that both find the same log probabilities. */
function frozenHead(graph: GraphBuilder, config: DecoderConfig, slots: number) {
  const shared = logitsOf(graph, config, slots);
  const { logits, targets } = shared;
  const { probabilities, logPartition } = graph.distribution(logits);
  const picked = graph.reshape(graph.gatherElements(logits, graph.reshape(targets, [slots, 1])), [slots]);
  return { ...shared, probabilities, logPartition, logprob: graph.sub(picked, logPartition) };
}

function logitsOf(graph: GraphBuilder, config: DecoderConfig, slots: number) {
  const input = graph.input('hidden', [slots, config.hiddenSize]);
  const final = finalNorm(graph, config, input);
  const tempered = graph.mul(final, graph.input('inverseTemperature', []));
  const matrix = stateEmbedding(graph, config).head;
  const logits = graph.matmul(tempered, matrix, { transposeRight: true });
  return { input, final, tempered, matrix, logits, targets: graph.input('targets', [slots], 'int32') };
}

/**
 * The loss of slots, whose live quantities `logprob`, `entropy` and `value` are inputs, [slots] each. Other inputs are
 * as in `trainingGraph`. Outputs: `term:NAME`, `metric:NAME` [], and `slope.NAME` [slots], the derivatives by the live
 * quantities.
 */
export function lossPart(
  loss: Loss,
  { valueHead }: ParameterOptions,
  { episodes, slots }: { readonly episodes: number; readonly slots: number },
): GraphPart {
  const graph = new Graph();
  const perSlot: Shape = [slots];
  const names = valueHead ? (['logprob', 'entropy', 'value'] as const) : (['logprob', 'entropy'] as const);
  const live = new Map(names.map((name) => [name as string, graph.input(name, perSlot)]));
  const lowered = lowerLoss(graph, loss, {
    episodes,
    mask: graph.input('mask', perSlot, 'bool'),
    weight: graph.input('weight', perSlot),
    episode: () => graph.input('episode', perSlot, 'int32'),
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
