import type { Random } from '@agentgym/cli';

import { elementCount } from '../operations/shapes.js';
import type { Shape } from '../operations/tensor.js';
import type { DecoderConfig } from './decoder-config.js';

export const EMBEDDING = 'model.embed_tokens.weight';
export const FINAL_NORM = 'model.norm.weight';
export const HEAD = 'lm_head.weight';
export const VALUE_WEIGHT = 'value_head.weight';
export const VALUE_BIAS = 'value_head.bias';

/** The matrices of a layer, as Hugging Face names them. */
export type Projection =
  | 'self_attn.q_proj'
  | 'self_attn.k_proj'
  | 'self_attn.v_proj'
  | 'self_attn.o_proj'
  | 'mlp.gate_proj'
  | 'mlp.up_proj'
  | 'mlp.down_proj';

/** The norms of a layer; the last two only with `queryKeyNorm`. */
export type LayerNorm = 'input_layernorm' | 'post_attention_layernorm' | 'self_attn.q_norm' | 'self_attn.k_norm';

export function layerParameter(
  layer: number,
  part: Projection | LayerNorm,
  kind: 'weight' | 'bias' = 'weight',
): string {
  return `model.layers.${layer}.${part}.${kind}`;
}

/** The parts of a model besides its configuration. */
export interface ParameterOptions {
  /** A critic on the trunk: one number per token, `value_head.weight` [1, hidden] and `value_head.bias` [1]. */
  readonly valueHead: boolean;
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

const PROJECTIONS: readonly Projection[] = [
  'self_attn.q_proj',
  'self_attn.k_proj',
  'self_attn.v_proj',
  'self_attn.o_proj',
  'mlp.gate_proj',
  'mlp.up_proj',
  'mlp.down_proj',
];

/**
 * Names and shapes of all parameters, as in Hugging Face's `model.safetensors`, in a fixed order. A tied head has no
 * separate parameter.
 */
export function parameterShapes(config: DecoderConfig, { valueHead }: ParameterOptions): ReadonlyMap<string, Shape> {
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
    shapes.set(layerParameter(layer, 'input_layernorm'), [hiddenSize]);
    shapes.set(layerParameter(layer, 'post_attention_layernorm'), [hiddenSize]);
  }
  shapes.set(FINAL_NORM, [hiddenSize]);
  if (!config.tiedHead) shapes.set(HEAD, [vocabularySize, hiddenSize]);
  if (valueHead) {
    shapes.set(VALUE_WEIGHT, [1, hiddenSize]);
    shapes.set(VALUE_BIAS, [1]);
  }
  return shapes;
}

/**
 * Initial weights. Rows have unit expected length (deviation 1 / sqrt(inputs)). Rows that write to the residual stream
 * are smaller by sqrt(2 * layers) (Radford et al. 2019). Norms are 1, biases and value head 0. Each parameter has a
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
    if (name.endsWith('norm.weight')) data.fill(1);
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
