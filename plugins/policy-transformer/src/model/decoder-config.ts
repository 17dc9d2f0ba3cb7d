/** Frequencies of rotary positions, stretched as in Llama 3.1 (`rope_type: llama3`). */
export interface Llama3RopeScaling {
  readonly kind: 'llama3';
  readonly factor: number;
  readonly lowFrequencyFactor: number;
  readonly highFrequencyFactor: number;
  /** Context length before stretching. */
  readonly originalMaxPositions: number;
}

/**
 * The decoder family: Llama (SmolLM too), Qwen2 and 2.5, Qwen3. The names of Hugging Face's `config.json` are in
 * brackets.
 */
export interface DecoderConfig {
  /** [model_type] */
  readonly family: 'llama' | 'qwen2' | 'qwen3';
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
  /** [rope_theta] */
  readonly ropeTheta: number;
  /** [rope_scaling], if any. */
  readonly ropeScaling?: Llama3RopeScaling;
  /** Bias on q, k and v: [attention_bias] of Llama and Qwen3, present in Qwen2. */
  readonly queryKeyValueBias: boolean;
  /** Bias on o: [attention_bias] of Llama and Qwen3, absent in Qwen2. */
  readonly outputBias: boolean;
  /** Bias on gate, up and down [mlp_bias]. */
  readonly mlpBias: boolean;
  /** RMS norm on each head of q and k: Qwen3. */
  readonly queryKeyNorm: boolean;
  /** [tie_word_embeddings]: the head is the embedding. */
  readonly tiedHead: boolean;
}
