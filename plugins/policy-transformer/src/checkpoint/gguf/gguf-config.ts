/*
 * config.json from the metadata of a GGUF file (`llama-arch.cpp`, `llama-model.cpp`). A key that is not known here may change
 * what the model computes, so it is refused by name.
 */
import type { ConfigJson } from '../config-values.js';
import { ggufRefusal, shownField } from '../../tokenizer/gguf-refusal.js';
import type { GgufField } from '../../tokenizer/gguf-vocabulary.js';
import type { GgufHeader } from './gguf-header.js';
import { scalingOf } from './rope-factors.js';

const architectures = ['llama', 'qwen2', 'qwen3'] as const;
type GgufArchitecture = (typeof architectures)[number];

/** Keys without the name of the architecture that this file reads. */
const readKeys = [
  ...['block_count', 'context_length', 'embedding_length', 'feed_forward_length', 'vocab_size'],
  ...['attention.head_count', 'attention.head_count_kv', 'attention.key_length', 'attention.value_length'],
  ...['attention.layer_norm_rms_epsilon', 'rope.freq_base', 'rope.dimension_count'],
];

/** Keys that change nothing with these values. */
const idleKeys: { readonly [key: string]: readonly GgufField[] } = {
  'attention.causal': [true],
  'attention.sliding_window': [0],
  expert_count: [0],
  expert_used_count: [0],
  'rope.scale_linear': [1],
  'rope.scaling.attn_factor': [1],
  'rope.scaling.factor': [1],
  'rope.scaling.finetuned': [true, false],
  'rope.scaling.type': ['none'],
  tensor_data_layout: ['Meta AI original pth'],
  use_parallel_residual: [false],
};

/**
 * Reads what a config.json says. Throws an error that names the key that cannot be computed.
 *
 * @param tokens of the vocabulary
 * @param factors the numbers of `rope_freqs.weight`, if the file has it
 */
export function ggufConfig({ entries, fields }: GgufHeader, tokens: number, factors?: Float32Array): ConfigJson {
  const architecture = architectureOf(fields);
  refuseKeys(fields, architecture);
  const own = (key: string): GgufField | undefined => fields.get(`${architecture}.${key}`);
  const heads = number(own('attention.head_count'), `${architecture}.attention.head_count`);
  const hidden = number(own('embedding_length'), `${architecture}.embedding_length`);
  const headWidth = number(own('attention.key_length') ?? hidden / heads, `${architecture}.attention.key_length`);
  const theta = number(own('rope.freq_base') ?? 10_000, `${architecture}.rope.freq_base`);
  for (const same of ['attention.value_length', 'rope.dimension_count']) {
    const value = own(same) ?? headWidth;
    if (value !== headWidth) {
      throw ggufRefusal(
        `${architecture}.${same} is ${shownField(value)}, and only ${shownField(headWidth)}, the width of a head, is computed`,
      );
    }
  }
  const epsilon = own('attention.layer_norm_rms_epsilon');
  return {
    model_type: architecture,
    vocab_size: entries.get('token_embd.weight')?.shape[0] ?? own('vocab_size') ?? tokens,
    hidden_size: hidden,
    num_hidden_layers: layersOf(entries, own('block_count'), `${architecture}.block_count`),
    num_attention_heads: heads,
    num_key_value_heads: own('attention.head_count_kv') ?? heads,
    head_dim: headWidth,
    intermediate_size: own('feed_forward_length'),
    max_position_embeddings: own('context_length'),
    // A float32 of the file, in the fewest digits that give it.
    rms_norm_eps: typeof epsilon === 'number' ? Number(epsilon.toPrecision(7)) : epsilon,
    rope_theta: theta,
    ...ropeScaling(factors, theta, headWidth),
    attention_bias: entries.has('blk.0.attn_q.bias'),
    mlp_bias: entries.has('blk.0.ffn_gate.bias'),
    tie_word_embeddings: !entries.has('output.weight'),
  };
}

/** A number that lies would make a model of endless layers before one of them is missed. */
function layersOf(entries: GgufHeader['entries'], count: GgufField | undefined, key: string): GgufField | undefined {
  const layers = new Set([...entries.keys()].map((name) => /^blk\.(\d+)\./.exec(name)?.[1]).filter(Boolean));
  if (typeof count !== 'number' || count <= layers.size) return count;
  throw ggufRefusal(`${key} is ${count}, and it has tensors of ${layers.size} layers`);
}

function architectureOf(fields: ReadonlyMap<string, GgufField>): GgufArchitecture {
  const named = fields.get('general.architecture');
  const found = architectures.find((one) => one === named);
  if (found !== undefined) return found;
  throw ggufRefusal(`its architecture is ${shownField(named)}; supported: ${architectures.join(', ')}`);
}

function refuseKeys(fields: ReadonlyMap<string, GgufField>, architecture: string): void {
  for (const [name, value] of fields) {
    if (!name.startsWith(`${architecture}.`)) continue;
    const key = name.slice(architecture.length + 1);
    if (readKeys.includes(key)) continue;
    const idle = Object.hasOwn(idleKeys, key) ? idleKeys[key]! : undefined;
    if (idle === undefined)
      throw ggufRefusal(`its metadata has ${name}: ${shownField(value)}, which is not known here`);
    if (!idle.includes(value))
      throw ggufRefusal(`${name} is ${shownField(value)}; supported: ${idle.map(shownField).join(', ')}`);
  }
}

function ropeScaling(factors: Float32Array | undefined, theta: number, headWidth: number): ConfigJson {
  const scaling = factors && scalingOf(factors, theta, headWidth);
  if (scaling === undefined) return {};
  return {
    rope_scaling: {
      rope_type: scaling.kind,
      factor: scaling.factor,
      low_freq_factor: scaling.lowFrequencyFactor,
      high_freq_factor: scaling.highFrequencyFactor,
      original_max_position_embeddings: scaling.originalMaxPositions,
    },
  };
}

function number(value: GgufField | undefined, key: string): number {
  if (typeof value === 'number') return value;
  throw ggufRefusal(value === undefined ? `${key} is missing` : `${key} must be one number, not ${shownField(value)}`);
}
