/*
 * config.json has two spellings. transformers 5 writes `rope_parameters` and `dtype`. Most published folders have
 * `rope_theta`, `rope_scaling` and `torch_dtype`. Both are read. The older is written, because older and newer
 * libraries read it. A key that the decoder cannot compute is refused by name, never ignored.
 */
import type { DecoderConfig } from '../model/decoder-config.js';
import type { StoredType } from '../operations/half-floats.js';
import { readAttention, writeAttention } from './attention-json.js';
import { count, flag, positive, refusal, show, type ConfigJson } from './config-values.js';
import { families, type Family } from './families.js';

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
  const config = json as ConfigJson;
  const family = config['model_type'];
  if (typeof family !== 'string' || !Object.hasOwn(families, family)) {
    const found = family === undefined ? 'a missing model_type' : `model_type ${show(family)}`;
    throw refusal(`${found} is not supported; supported: ${Object.keys(families).join(', ')}`);
  }
  return parseFamily(family as DecoderConfig['family'], config);
}

function parseFamily(name: DecoderConfig['family'], config: ConfigJson): DecoderConfig {
  const family = families[name];
  refuseArchitecture(config, family.architecture);
  refuseUnsupported(config, family);
  const hiddenSize = count(config, 'hidden_size');
  const layers = count(config, 'num_hidden_layers', undefined, mostLayers);
  const heads = count(config, 'num_attention_heads');
  const keyValueHeads = count(config, 'num_key_value_heads', heads);
  const headWidth = count(config, 'head_dim', family.headWidth ?? hiddenSize / heads);
  if (heads % keyValueHeads !== 0) {
    throw refusal(`num_key_value_heads ${keyValueHeads} does not divide num_attention_heads ${heads}`);
  }
  if (headWidth % 2 !== 0) throw refusal(`head_dim ${headWidth} is odd`);
  const bias = family.attentionBias ?? flag(config, 'attention_bias', false);
  return {
    family: name,
    vocabularySize: count(config, 'vocab_size'),
    hiddenSize,
    layers,
    heads,
    keyValueHeads,
    headWidth,
    intermediateSize: count(config, 'intermediate_size'),
    maxPositions: count(config, 'max_position_embeddings'),
    rmsEpsilon: positive(config, 'rms_norm_eps', 1e-6),
    ...readAttention(name, config, layers),
    ...(family.queryScalar && { queryScalar: positive(config, 'query_pre_attn_scalar', family.queryScalar) }),
    queryKeyValueBias: bias === 'on q, k and v' || bias === true,
    outputBias: bias === true,
    mlpBias: family.hasMlpBias && flag(config, 'mlp_bias', false),
    ...family.norms,
    activation: family.activation.kind,
    embeddingScale: family.scalesEmbedding ? Math.sqrt(hiddenSize) : 1,
    tiedHead: flag(config, 'tie_word_embeddings', family.tiedHead),
  };
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The ids of a parsed config.json or generation_config.json. Missing ids are left out. */
export function parseSpecialIds(json: ConfigJson): SpecialIds {
  // Several published folders have -1 for a token that they do not have.
  const id = (key: string) => (isId(json[key]) ? json[key] : undefined);
  const eos: unknown = json['eos_token_id'] ?? [];
  const [bos, pad] = [id('bos_token_id'), id('pad_token_id')];
  const ends: unknown[] = Array.isArray(eos) ? eos : [eos];
  const strange = ends.find((value) => !isId(value) && value !== -1);
  if (strange !== undefined) throw refusal(`eos_token_id ${show(strange)} is not the id of a token`);
  return {
    ...(bos === undefined ? {} : { bos }),
    eos: ends.filter(isId),
    ...(pad === undefined ? {} : { pad }),
  };
}

/** The deepest published models have a few hundred. Lists have an entry for each layer. */
const mostLayers = 10_000;

const torchTypes = { F32: 'float32', BF16: 'bfloat16', F16: 'float16' } as const;

/** config.json of a model whose weights are stored as `type`. */
export function writeDecoderConfig(config: DecoderConfig, ids: SpecialIds, type: StoredType = 'F32'): ConfigJson {
  const { architecture, activation, attentionBias, hasMlpBias } = families[config.family];
  return {
    architectures: [architecture],
    model_type: config.family,
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.keyValueHeads,
    head_dim: config.headWidth,
    intermediate_size: config.intermediateSize,
    [activation.key]: activation.name,
    max_position_embeddings: config.maxPositions,
    rms_norm_eps: config.rmsEpsilon,
    ...writeAttention(config),
    ...(config.queryScalar && { query_pre_attn_scalar: config.queryScalar }),
    ...(attentionBias ? {} : { attention_bias: config.queryKeyValueBias }),
    ...(hasMlpBias && { mlp_bias: config.mlpBias }),
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
function refuseArchitecture(config: ConfigJson, supported: string): void {
  const named = config['architectures'] ?? [];
  if (!Array.isArray(named)) throw refusal(`architectures must be a list, not ${show(named)}`);
  if (named.length === 0 || named.includes(supported)) return;
  const all = Object.values(families).map(({ architecture }) => architecture);
  throw refusal(`the architecture ${named.map(String).join(', ')} is not supported; supported: ${all.join(', ')}`);
}

function refuseUnsupported(config: ConfigJson, { activation: { key, name } }: Family): void {
  const activation = config[key] ?? name;
  if (activation !== name) throw refusal(`${key} ${show(activation)} is not supported; supported: ${name}`);
  if (config['quantization_config'] != null) {
    throw refusal('quantization_config is set; use a folder with unquantized weights');
  }
  const partial = config['partial_rotary_factor'] ?? 1;
  if (partial !== 1) throw refusal(`partial_rotary_factor ${show(partial)} is not supported; supported: 1`);
  for (const cap of ['attn_logit_softcapping', 'final_logit_softcapping']) {
    if (config[cap] != null) throw refusal(`${cap} ${show(config[cap])} is not supported; supported: null`);
  }
  if (flag(config, 'use_bidirectional_attention', false)) throw refusal('use_bidirectional_attention is not supported');
}
