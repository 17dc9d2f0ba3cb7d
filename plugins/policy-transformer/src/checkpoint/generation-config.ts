import type { SpecialIds } from './decoder-config-json.js';

/** How a model samples. The names are those of `Sampling`. */
export interface SamplingChoice {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  /** Most tokens of an answer. */
  readonly maxTokens?: number;
}

/** Plain sampling, with which policies are trained. */
export const plainSampling: SamplingChoice = { temperature: 1, topP: 1, topK: 0 };

/**
 * generation_config.json, so that `generate` of `transformers` samples as agentgym does. Every value is written, because
 * the library's own default keeps only the 50 likeliest tokens.
 */
export function generationConfig(ids: SpecialIds, sampling: SamplingChoice): { readonly [key: string]: unknown } {
  const { temperature, topP, topK, maxTokens } = sampling;
  return {
    ...(ids.bos === undefined ? {} : { bos_token_id: ids.bos }),
    eos_token_id: ids.eos,
    ...(ids.pad === undefined ? {} : { pad_token_id: ids.pad }),
    ...(temperature === 0 ? { do_sample: false } : { do_sample: true, temperature, top_p: topP, top_k: topK }),
    ...(maxTokens === undefined ? {} : { max_new_tokens: maxTokens }),
  };
}
