import type { Random } from '@agentgym/cli';

import { elementCount } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';
import type { DecoderConfig } from './decoder-config.js';

export const EMBEDDING = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
export const HEAD = 'lm_head.weight';
export const VALUE_WEIGHT = 'value_head.weight';
export const VALUE_BIAS = 'value_head.bias';

/** The matrix of the head. A tied head is the embedding. */
export function headName({ tiedHead }: DecoderConfig): string {
  return tiedHead ? EMBEDDING : HEAD;
}

/** The matrices of a layer, as Hugging Face names them. */
export type Projection =
  | 'self_attn.q_proj'
  | 'self_attn.k_proj'
  | 'self_attn.v_proj'
  | 'self_attn.o_proj'
  | 'mlp.gate_proj'
  | 'mlp.up_proj'
  | 'mlp.down_proj';

/** The norms of a layer, as Hugging Face names them; those of q and k only with `queryKeyNorm`. */
export type LayerNorm =
  | 'input_layernorm'
  | 'post_attention_layernorm'
  | 'pre_feedforward_layernorm'
  | 'post_feedforward_layernorm'
  | 'self_attn.q_norm'
  | 'self_attn.k_norm';

/** The norms of a layer's hidden states by their place. With `outputNorms`, a name means another place than without. */
export function layerNorms({ outputNorms }: DecoderConfig): {
  readonly beforeAttention: LayerNorm;
  readonly afterAttention?: LayerNorm;
  readonly beforeMlp: LayerNorm;
  readonly afterMlp?: LayerNorm;
} {
  if (!outputNorms) return { beforeAttention: 'input_layernorm', beforeMlp: 'post_attention_layernorm' };
  return {
    beforeAttention: 'input_layernorm',
    afterAttention: 'post_attention_layernorm',
    beforeMlp: 'pre_feedforward_layernorm',
    afterMlp: 'post_feedforward_layernorm',
  };
}

export function layerParameter(
  layer: number,
  part: Projection | LayerNorm,
  kind: 'weight' | 'bias' = 'weight',
): string {
  return `model.layers.${layer}.${part}.${kind}`;
}

/** Low-rank factors beside frozen matrices (Hu et al. 2021, "LoRA"). */
export interface Adapter {
  readonly rank: number;
  /** Factor of the product of the two factors: alpha / rank, or alpha / sqrt(rank) if it is rank-stabilized. */
  readonly scale: number;
  /** Which matrices of each layer. */
  readonly targets: readonly Projection[];
  /** Whether each row of these matrices, with its share of the adapter, has a trained length (Liu et al. 2024, "DoRA"). */
  readonly dora?: boolean;
}

/** The parts of a model besides its configuration. */
export interface ParameterOptions {
  /** A critic on the trunk: one number per token, `value_head.weight` [1, hidden] and `value_head.bias` [1]. */
  readonly valueHead: boolean;
  /** If given, only the adapter and the value head are trained. Default: every parameter. */
  readonly adapter?: Adapter | undefined;
}

/** Sizes and bias of a layer's matrix. Weights are [outputs, inputs]. */
export function projectionSizes(config: DecoderConfig, part: Projection) {
  const { hiddenSize, intermediateSize, heads, keyValueHeads, headWidth, queryKeyValueBias } = config;
  switch (part) {
    case 'self_attn.q_proj':
      return { outputs: heads * headWidth, inputs: hiddenSize, bias: queryKeyValueBias };
    case 'self_attn.k_proj':
    case 'self_attn.v_proj':
      return { outputs: keyValueHeads * headWidth, inputs: hiddenSize, bias: queryKeyValueBias };
    case 'self_attn.o_proj':
      return { outputs: hiddenSize, inputs: heads * headWidth, bias: config.outputBias };
    case 'mlp.gate_proj':
    case 'mlp.up_proj':
      return { outputs: intermediateSize, inputs: hiddenSize, bias: config.mlpBias };
    case 'mlp.down_proj':
      return { outputs: hiddenSize, inputs: intermediateSize, bias: config.mlpBias };
  }
}

export const PROJECTIONS: readonly Projection[] = [
  'self_attn.q_proj',
  'self_attn.k_proj',
  'self_attn.v_proj',
  'self_attn.o_proj',
  'mlp.gate_proj',
  'mlp.up_proj',
  'mlp.down_proj',
];

/** Names of an adapter's factors: A [rank, inputs], which starts with random numbers, and B [outputs, rank], with zeros. */
export function adapterParameter(layer: number, part: Projection, factor: 'A' | 'B'): string {
  return `model.layers.${layer}.${part}.lora_${factor}.weight`;
}

/** Name of the lengths of a matrix's rows in DoRA, [outputs]; they start as those of the frozen matrix. */
export function magnitudeParameter(layer: number, part: Projection): string {
  return `model.layers.${layer}.${part}.lora_magnitude_vector`;
}

/**
 * Names and shapes of the model without an adapter, as in Hugging Face's `model.safetensors`, in a fixed order. A tied
 * head has no separate parameter.
 */
export function parameterShapes(
  config: DecoderConfig,
  { valueHead }: Pick<ParameterOptions, 'valueHead'>,
): ReadonlyMap<string, Shape> {
  const { vocabularySize, hiddenSize, headWidth } = config;
  const shapes = new Map<string, Shape>([[EMBEDDING, [vocabularySize, hiddenSize]]]);
  for (let layer = 0; layer < config.layers; layer++) {
    for (const part of PROJECTIONS) {
      const { outputs, inputs, bias } = projectionSizes(config, part);
      shapes.set(layerParameter(layer, part), [outputs, inputs]);
      if (bias) shapes.set(layerParameter(layer, part, 'bias'), [outputs]);
    }
    if (config.queryKeyNorm) {
      shapes.set(layerParameter(layer, 'self_attn.q_norm'), [headWidth]);
      shapes.set(layerParameter(layer, 'self_attn.k_norm'), [headWidth]);
    }
    for (const norm of Object.values(layerNorms(config))) shapes.set(layerParameter(layer, norm), [hiddenSize]);
  }
  shapes.set(FINAL_NORM, [hiddenSize]);
  if (!config.tiedHead) shapes.set(HEAD, [vocabularySize, hiddenSize]);
  if (valueHead) for (const [name, shape] of valueHeadShapes(config)) shapes.set(name, shape);
  return shapes;
}

/** Names and shapes of an adapter's factors, and in DoRA of its magnitudes. */
export function adapterShapes(config: DecoderConfig, { rank, targets, dora }: Adapter): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (let layer = 0; layer < config.layers; layer++) {
    for (const part of PROJECTIONS.filter((one) => targets.includes(one))) {
      const { outputs, inputs } = projectionSizes(config, part);
      shapes.set(adapterParameter(layer, part, 'A'), [rank, inputs]);
      shapes.set(adapterParameter(layer, part, 'B'), [outputs, rank]);
      if (dora) shapes.set(magnitudeParameter(layer, part), [outputs]);
    }
  }
  return shapes;
}

/** Names and shapes of what is trained, in the order of `layoutOrder`. */
export function trainableShapes(config: DecoderConfig, options: ParameterOptions): ReadonlyMap<string, Shape> {
  const { adapter, valueHead } = options;
  if (adapter === undefined) return inLayoutOrder(parameterShapes(config, options));
  const head = valueHead ? valueHeadShapes(config) : [];
  return inLayoutOrder(new Map([...adapterShapes(config, adapter), ...head]));
}

/** Names and shapes of what an adapter leaves as it is, in the order of `layoutOrder`; nothing without an adapter. */
export function frozenShapes(config: DecoderConfig, { adapter }: ParameterOptions): ReadonlyMap<string, Shape> {
  return adapter === undefined ? new Map() : inLayoutOrder(parameterShapes(config, { valueHead: false }));
}

function valueHeadShapes({ hiddenSize }: DecoderConfig): (readonly [string, Shape])[] {
  return [
    [VALUE_WEIGHT, [1, hiddenSize]],
    [VALUE_BIAS, [1]],
  ];
}

/**
 * Sorts parameters so that matrices that read the same tensor, which sampling joins, are neighbours, and so are their
 * factors A. The order depends only on the set of names.
 */
function inLayoutOrder(shapes: ReadonlyMap<string, Shape>): ReadonlyMap<string, Shape> {
  const place = (name: string) => {
    const part = JOINED.findIndex((suffix) => name.endsWith(suffix));
    const base = part < 0 ? name : name.slice(0, -JOINED[part]!.length);
    return { base, part };
  };
  return new Map(
    [...shapes]
      .map(([name, shape]) => ({ name, shape, ...place(name) }))
      .sort((a, b) => compare(a.base, b.base) || a.part - b.part || compare(a.name, b.name))
      .map(({ name, shape }) => [name, shape]),
  );
}

const JOINED = ['weight', 'bias', 'lora_A.weight'].flatMap((kind) =>
  ['q_proj', 'k_proj', 'v_proj', 'gate_proj', 'up_proj'].map((part) => `${part}.${kind}`),
);

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Initial factors of an adapter: A uniform within 1 / sqrt(inputs) of 0, B zero, magnitudes the lengths of the rows, so
 * that the adapter changes nothing at first (PEFT's `LoraLayer.reset_lora_parameters`, `DoraLinearLayer.update_layer`).
 * Each A has a separate random stream with its name.
 * @param frozen the matrices beside the adapter
 */
export function initializeAdapter(
  config: DecoderConfig,
  adapter: Adapter,
  frozen: ReadonlyMap<string, Float32Array>,
  random: Random,
): Map<string, Float32Array> {
  const factors = new Map<string, Float32Array>();
  for (const [name, shape] of adapterShapes(config, adapter)) {
    const data = new Float32Array(elementCount(shape));
    if (name.includes('.lora_A.')) {
      const stream = random.stream(name);
      const bound = 1 / Math.sqrt(shape[1]!);
      for (let index = 0; index < data.length; index++) data[index] = bound * (2 * stream.uniform() - 1);
    }
    if (name.endsWith(MAGNITUDE)) fillLengths(data, frozen.get(name.replace(MAGNITUDE, '.weight'))!);
    factors.set(name, data);
  }
  return factors;
}

const MAGNITUDE = '.lora_magnitude_vector';

/** Lengths of the rows of a matrix. */
function fillLengths(lengths: Float32Array, matrix: Float32Array): void {
  const inputs = matrix.length / lengths.length;
  for (let row = 0; row < lengths.length; row += 1) {
    let square = 0;
    for (const number of matrix.subarray(row * inputs, (row + 1) * inputs)) square += number * number;
    lengths[row] = Math.sqrt(square);
  }
}

/**
 * Initial weights. Rows have unit expected length (deviation 1 / sqrt(inputs)). Rows that write to the residual stream
 * are smaller by sqrt(2 * layers) (Radford et al. 2019). Norms multiply by 1, biases and value head are 0. Each parameter has a
 * separate random stream with its name.
 */
export function initializeParameters(
  config: DecoderConfig,
  options: ParameterOptions,
  random: Random,
): Map<string, Float32Array> {
  const residual = 1 / Math.sqrt(2 * config.layers);
  const parameters = new Map<string, Float32Array>();
  for (const [name, shape] of parameterShapes(config, options)) {
    const [, inputs] = shape;
    const data = new Float32Array(elementCount(shape));
    if (name.endsWith('norm.weight')) data.fill(config.centeredNorms ? 0 : 1);
    else if (inputs !== undefined && name !== VALUE_WEIGHT) {
      const stream = random.stream(name);
      const toResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
      const deviation = (toResidual ? residual : 1) / Math.sqrt(inputs);
      for (let index = 0; index < data.length; index++) data[index] = deviation * stream.normal();
    }
    parameters.set(name, data);
  }
  return parameters;
}
