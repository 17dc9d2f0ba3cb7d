import type { DecoderConfig } from '../model/decoder-config.js';

/** What the class of `transformers` for a family always computes, and what it takes where config.json has no key. */
export interface Family {
  /** The class of `transformers`. */
  readonly architecture: string;
  /** Default of `head_dim`, if it is not hidden / heads. */
  readonly headWidth?: number;
  /** Default of `query_pre_attn_scalar`, if the family has that key. */
  readonly queryScalar?: number;
  /** Where attention has a bias, if no key says it. */
  readonly attentionBias?: 'on q, k and v';
  readonly hasMlpBias: boolean;
  readonly norms: Pick<DecoderConfig, 'queryKeyNorm' | 'outputNorms' | 'centeredNorms'>;
  /** The key of the activation, its only supported value, and its name in a graph. */
  readonly activation: { readonly key: string; readonly name: string; readonly kind: DecoderConfig['activation'] };
  /** Whether embeddings are multiplied by sqrt(hidden). */
  readonly scalesEmbedding: boolean;
  /** Default of `tie_word_embeddings`. */
  readonly tiedHead: boolean;
}

const llama = {
  architecture: 'LlamaForCausalLM',
  hasMlpBias: true,
  norms: { queryKeyNorm: false, outputNorms: false, centeredNorms: false },
  activation: { key: 'hidden_act', name: 'silu', kind: 'silu' },
  scalesEmbedding: false,
  tiedHead: false,
} as const;

/** By `model_type` of config.json. */
export const families: { readonly [name in DecoderConfig['family']]: Family } = {
  llama,
  qwen2: { ...llama, architecture: 'Qwen2ForCausalLM', hasMlpBias: false, attentionBias: 'on q, k and v' },
  qwen3: {
    ...llama,
    architecture: 'Qwen3ForCausalLM',
    hasMlpBias: false,
    norms: { ...llama.norms, queryKeyNorm: true },
  },
  smollm3: { ...llama, architecture: 'SmolLM3ForCausalLM', tiedHead: true },
  gemma3_text: {
    architecture: 'Gemma3ForCausalLM',
    headWidth: 256,
    queryScalar: 256,
    hasMlpBias: false,
    norms: { queryKeyNorm: true, outputNorms: true, centeredNorms: true },
    activation: { key: 'hidden_activation', name: 'gelu_pytorch_tanh', kind: 'gelu-tanh' },
    scalesEmbedding: true,
    tiedHead: true,
  },
};
