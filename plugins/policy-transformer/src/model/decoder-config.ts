/** Frequencies of rotary positions, stretched as in Llama 3.1 (`rope_type: llama3`). */
interface Llama3RopeScaling {
  readonly kind: 'llama3';
  readonly factor: number;
  readonly lowFrequencyFactor: number;
  readonly highFrequencyFactor: number;
  /** Context length before stretching. */
  readonly originalMaxPositions: number;
}

/** Angles of rotary positions (Su et al. 2021). */
export interface Rope {
  /** [rope_theta] */
  readonly theta: number;
  /** [rope_scaling], if any. */
  readonly scaling?: Llama3RopeScaling;
}

/** What differs between the attention of the layers of one model. */
export interface AttentionKind {
  /** Without, queries and keys are not rotated (Kazemnejad et al. 2023, "NoPE"). */
  readonly rope?: Rope;
  /** The most positions that a query sees, its own included [sliding_window]. Default: all. */
  readonly window?: number;
}

/**
 * The decoder family: Llama (SmolLM too), Qwen2 and 2.5, Qwen3, SmolLM3, Gemma 3 (text). The names of Hugging Face's
 * `config.json` are in brackets.
 */
export interface DecoderConfig {
  /** [model_type] */
  readonly family: 'llama' | 'qwen2' | 'qwen3' | 'smollm3' | 'gemma3_text';
  /** [vocab_size] */
  readonly vocabularySize: number;
  /** [hidden_size] */
  readonly hiddenSize: number;
  /** [num_hidden_layers] */
  readonly layers: number;
  /** [num_attention_heads] */
  readonly heads: number;
  /** [num_key_value_heads]; divides `heads`. */
  readonly keyValueHeads: number;
  /** [head_dim], default hidden / heads; even. */
  readonly headWidth: number;
  /** [intermediate_size] */
  readonly intermediateSize: number;
  /** [max_position_embeddings]: the longest sequence. */
  readonly maxPositions: number;
  /** [rms_norm_eps] */
  readonly rmsEpsilon: number;
  /** The kinds of attention; most families have one. */
  readonly attentionKinds: readonly [AttentionKind, ...AttentionKind[]];
  /** The index of each layer's kind [layer_types, no_rope_layers]. Default: 0 in all layers. */
  readonly attentionOfLayer?: readonly number[];
  /** Scores are divided by its root [query_pre_attn_scalar]. Default: `headWidth`. */
  readonly queryScalar?: number;
  /** Bias on q, k and v: [attention_bias] of most families, present in Qwen2. */
  readonly queryKeyValueBias: boolean;
  /** Bias on o: [attention_bias] of most families, absent in Qwen2. */
  readonly outputBias: boolean;
  /** Bias on gate, up and down [mlp_bias]. */
  readonly mlpBias: boolean;
  /** RMS norm on each head of q and k: Qwen3, Gemma 3. */
  readonly queryKeyNorm: boolean;
  /** RMS norms also on the outputs of attention and MLP, before they are added: Gemma 3. */
  readonly outputNorms: boolean;
  /** Norms multiply by 1 + weight, so that a weight decays towards 1: Gemma 3. */
  readonly centeredNorms: boolean;
  /** [hidden_act]; `gelu-tanh` is `gelu_pytorch_tanh`. */
  readonly activation: 'silu' | 'gelu-tanh';
  /** Factor of embeddings where they enter the first layer, not in a tied head: sqrt(hidden) in Gemma 3, else 1. */
  readonly embeddingScale: number;
  /** [tie_word_embeddings]: the head is the embedding. */
  readonly tiedHead: boolean;
}

/** The index of a layer's kind of attention. */
export function attentionKindOf({ attentionOfLayer }: DecoderConfig, layer: number): number {
  return attentionOfLayer?.[layer] ?? 0;
}

/** The window of a layer; `undefined` if its queries see all positions before them. */
export function windowOf(config: DecoderConfig, layer: number): number | undefined {
  return config.attentionKinds[attentionKindOf(config, layer)]!.window;
}

/** Factor of attention scores. */
export function scoreScale({ queryScalar, headWidth }: DecoderConfig): number {
  return 1 / Math.sqrt(queryScalar ?? headWidth);
}
