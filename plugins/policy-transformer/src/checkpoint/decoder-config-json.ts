/*
 * config.json has two spellings. transformers 5 writes `rope_parameters` and `dtype`. Most published folders have
 * `rope_theta`, `rope_scaling` and `torch_dtype`. Both are read. The older is written, because older and newer
 * libraries read it. A key that the decoder cannot compute is refused by name, never ignored.
 */
import type { DecoderConfig, Llama3RopeScaling } from '../model/decoder-config.js';
import type { StoredType } from './half-floats.js';

type Json = { readonly [key: string]: unknown };

/** The class of `transformers` for each family. */
export const architectures = {
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
} as const;

/** Ids that config.json names. */
export interface SpecialIds {
  readonly bos?: number;
  /** Ids that end a text. */
  readonly eos: readonly number[];
  readonly pad?: number;
}

/** Reads a parsed config.json. Throws an error that names the key and value that cannot be computed. */
export function parseDecoderConfig(json: unknown): DecoderConfig {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw refusal('it is not a JSON object');
  const config = json as Json;
  const family = config['model_type'];
  if (family !== 'llama' && family !== 'qwen2' && family !== 'qwen3') {
    throw refusal(`model_type ${show(family)} is not supported; supported: ${Object.keys(architectures).join(', ')}`);
  }
  refuseArchitecture(config, architectures[family]);
  refuseUnsupported(config);
  const hiddenSize = count(config, 'hidden_size');
  const heads = count(config, 'num_attention_heads');
  const keyValueHeads = count(config, 'num_key_value_heads', heads);
  const headWidth = count(config, 'head_dim', hiddenSize / heads);
  if (heads % keyValueHeads !== 0) {
    throw refusal(`num_key_value_heads ${keyValueHeads} does not divide num_attention_heads ${heads}`);
  }
  if (headWidth % 2 !== 0) throw refusal(`head_dim ${headWidth} is odd`);
  const bias = family === 'qwen2' ? undefined : flag(config, 'attention_bias', false);
  return {
    family,
    vocabularySize: count(config, 'vocab_size'),
    hiddenSize,
    layers: count(config, 'num_hidden_layers'),
    heads,
    keyValueHeads,
    headWidth,
    intermediateSize: count(config, 'intermediate_size'),
    maxPositions: count(config, 'max_position_embeddings'),
    rmsEpsilon: positive(config, 'rms_norm_eps', 1e-6),
    ...readRope(config),
    queryKeyValueBias: bias ?? true,
    outputBias: bias ?? false,
    mlpBias: family === 'llama' && flag(config, 'mlp_bias', false),
    queryKeyNorm: family === 'qwen3',
    tiedHead: flag(config, 'tie_word_embeddings', false),
  };
}

/** The ids of a parsed config.json or generation_config.json. Missing ids are left out. */
export function parseSpecialIds(json: Json): SpecialIds {
  const id = (key: string) => (typeof json[key] === 'number' ? json[key] : undefined);
  const eos = json['eos_token_id'];
  const [bos, pad] = [id('bos_token_id'), id('pad_token_id')];
  return {
    ...(bos === undefined ? {} : { bos }),
    eos: (Array.isArray(eos) ? (eos as unknown[]) : [eos]).filter((value) => typeof value === 'number'),
    ...(pad === undefined ? {} : { pad }),
  };
}

const torchTypes = { F32: 'float32', BF16: 'bfloat16', F16: 'float16' } as const;

/** config.json of a model whose weights are stored as `type`. */
export function writeDecoderConfig(config: DecoderConfig, ids: SpecialIds, type: StoredType = 'F32'): Json {
  const { family, ropeScaling: scaling } = config;
  return {
    architectures: [architectures[family]],
    model_type: family,
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headWidth,
    intermediate_size: config.intermediateSize,
    hidden_act: 'silu',
    max_position_embeddings: config.maxPositions,
    rms_norm_eps: config.rmsEpsilon,
    rope_theta: config.ropeTheta,
    rope_scaling:
      scaling === undefined
        ? null
        : {
            rope_type: 'llama3',
            factor: scaling.factor,
            low_freq_factor: scaling.lowFrequencyFactor,
            high_freq_factor: scaling.highFrequencyFactor,
            original_max_position_embeddings: scaling.originalMaxPositions,
          },
    ...(family === 'qwen2' ? {} : { attention_bias: config.queryKeyValueBias }),
    ...(family === 'llama' ? { mlp_bias: config.mlpBias } : { sliding_window: null, use_sliding_window: false }),
    attention_dropout: 0,
    tie_word_embeddings: config.tiedHead,
    initializer_range: 0.02,
    use_cache: true,
    torch_dtype: torchTypes[type],
    bos_token_id: ids.bos ?? null,
    eos_token_id: ids.eos.length === 1 ? ids.eos[0] : ids.eos,
    pad_token_id: ids.pad ?? null,
  };
}

/** A classifier, or another model with the same trunk, has other weights. */
function refuseArchitecture(config: Json, supported: string): void {
  const named = config['architectures'];
  if (!Array.isArray(named) || named.length === 0 || named.includes(supported)) return;
  throw refusal(
    `the architecture ${named.join(', ')} is not supported; supported: ${Object.values(architectures).join(', ')}`,
  );
}

function refuseUnsupported(config: Json): void {
  const activation = config['hidden_act'] ?? 'silu';
  if (activation !== 'silu') throw refusal(`hidden_act ${show(activation)} is not supported; supported: silu`);
  if (config['quantization_config'] != null) {
    throw refusal('quantization_config is set; use a folder with unquantized weights');
  }
  const partial = config['partial_rotary_factor'] ?? 1;
  if (partial !== 1) throw refusal(`partial_rotary_factor ${show(partial)} is not supported; supported: 1`);
  const kinds = config['layer_types'];
  const windows = Array.isArray(kinds) ? kinds.some((kind) => kind !== 'full_attention') : config['use_sliding_window'];
  if (windows === true) throw refusal('sliding-window attention (use_sliding_window, layer_types) is not supported');
}

function readRope(config: Json): { ropeTheta: number; ropeScaling?: Llama3RopeScaling } {
  const parameters = (config['rope_parameters'] ?? config['rope_scaling'] ?? {}) as Json;
  const theta = positive('rope_theta' in parameters ? parameters : config, 'rope_theta', 10_000);
  const kind = parameters['rope_type'] ?? parameters['type'] ?? 'default';
  if (kind === 'default') return { ropeTheta: theta };
  if (kind !== 'llama3') throw refusal(`rope_type ${show(kind)} is not supported; supported: default, llama3`);
  const ropeScaling: Llama3RopeScaling = {
    kind,
    factor: positive(parameters, 'factor'),
    lowFrequencyFactor: positive(parameters, 'low_freq_factor'),
    highFrequencyFactor: positive(parameters, 'high_freq_factor'),
    originalMaxPositions: count(parameters, 'original_max_position_embeddings'),
  };
  return { ropeTheta: theta, ropeScaling };
}

function count(config: Json, key: string, otherwise?: number): number {
  const value = config[key] ?? otherwise;
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw refusal(
    value === undefined ? `${key} is missing` : `${key} must be a positive whole number, not ${show(value)}`,
  );
}

function positive(config: Json, key: string, otherwise?: number): number {
  const value = config[key] ?? otherwise;
  if (typeof value === 'number' && value > 0) return value;
  throw refusal(value === undefined ? `${key} is missing` : `${key} must be a positive number, not ${show(value)}`);
}

function flag(config: Json, key: string, otherwise: boolean): boolean {
  const value = config[key] ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw refusal(`${key} must be true or false, not ${show(value)}`);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}

function refusal(cause: string): Error {
  return new Error(`config.json: ${cause}`);
}
