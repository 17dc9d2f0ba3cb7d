import { type DecoderConfig, scoreScale } from '../../model/decoder-config.js';
import type { SamplingChoice } from '../generation-config.js';
import type { GgufValue } from './gguf-file.js';
import type { GgufType } from './gguf-types.js';

/** `general.file_type` of llama.cpp (`llama_ftype`). */
const fileTypes = { F32: 0, F16: 1, Q8_0: 7, BF16: 32 } as const satisfies { readonly [type in GgufType]: number };

/** What llama.cpp reads about a model besides its tokenizer. Throws with the reason if it cannot compute the model. */
export function ggufMetadata(
  config: DecoderConfig,
  about: {
    readonly name: string;
    readonly type: GgufType;
    readonly sampling: SamplingChoice;
  },
): Map<string, GgufValue> {
  refuseModel(config);
  const { family, headWidth } = config;
  const { sampling } = about;
  const int = (value: number): GgufValue => ({ type: 'uint32', value });
  const real = (value: number): GgufValue => ({ type: 'float32', value });
  const text = (value: string): GgufValue => ({ type: 'string', value });
  return new Map<string, GgufValue>([
    ['general.architecture', text(family)],
    ['general.type', text('model')],
    ['general.name', text(about.name)],
    ['general.file_type', int(fileTypes[about.type])],
    ['general.quantization_version', int(2)],
    // llama.cpp's own defaults keep the likeliest 40 tokens, and others. A policy samples as it was trained.
    ['general.sampling.temp', real(sampling.temperature)],
    ['general.sampling.top_p', real(sampling.topP)],
    ['general.sampling.top_k', { type: 'int32', value: sampling.topK }],
    ['general.sampling.min_p', real(0)],
    [`${family}.block_count`, int(config.layers)],
    [`${family}.context_length`, int(config.maxPositions)],
    [`${family}.embedding_length`, int(config.hiddenSize)],
    [`${family}.feed_forward_length`, int(config.intermediateSize)],
    [`${family}.attention.head_count`, int(config.heads)],
    [`${family}.attention.head_count_kv`, int(config.keyValueHeads)],
    [`${family}.attention.key_length`, int(headWidth)],
    [`${family}.attention.value_length`, int(headWidth)],
    [`${family}.attention.layer_norm_rms_epsilon`, real(config.rmsEpsilon)],
    [`${family}.rope.freq_base`, real(config.attentionKinds[0].rope!.theta)],
    [`${family}.rope.dimension_count`, int(headWidth)],
    [`${family}.vocab_size`, int(config.vocabularySize)],
  ]);
}

function refuseModel(config: DecoderConfig): void {
  const { attentionKinds, family, hiddenSize, heads, headWidth } = config;
  const refusal = (what: string) => new Error(`a GGUF file cannot have this model: ${what}`);
  if (family !== 'llama' && family !== 'qwen2' && family !== 'qwen3') {
    throw refusal(`its model_type is ${family}, and only llama, qwen2 and qwen3 are written`);
  }
  const [{ rope, window }] = attentionKinds;
  if (attentionKinds.length > 1 || rope === undefined || window !== undefined) {
    throw refusal('its layers do not all attend with rotary positions to all tokens');
  }
  if (scoreScale(config) !== 1 / Math.sqrt(headWidth)) throw refusal('it scales its scores in a way of its own');
  if (family !== 'llama' && rope.scaling !== undefined) throw refusal(`llama.cpp stretches no angles of ${family}`);
  if (family === 'qwen2' && heads * headWidth !== hiddenSize) {
    throw refusal(`llama.cpp requires heads of ${hiddenSize / heads} numbers in qwen2, and these have ${headWidth}`);
  }
  if (family !== 'llama' && config.outputBias)
    throw refusal(`llama.cpp has no bias on the output of attention in ${family}`);
}
