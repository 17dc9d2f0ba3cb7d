import type { DecoderConfig } from '../../model/decoder-config.js';
import { EMBEDDING, FINAL_NORM, headName } from '../../model/parameters.js';
import type { TensorSource } from '../safetensors.js';
import type { GgufTensor } from './gguf-file.js';
import { blockLength, type GgufType, regroup } from './gguf-types.js';
import { ropeFactors } from './rope-factors.js';

/** Parts of a layer by Hugging Face's name. */
const parts: { readonly [name: string]: string } = {
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

/**
 * The tensors of llama.cpp for a model's weights, by its names. As in its own converter, matrices have the type, or
 * float16 if their rows do not fill its blocks; vectors are float32.
 */
export function ggufTensors(
  config: DecoderConfig,
  weights: ReadonlyMap<string, TensorSource>,
  type: GgufType,
): Map<string, GgufTensor> {
  const tensors = new Map<string, GgufTensor>();
  const { scaling, theta } = config.attentionKinds[0].rope!;
  if (scaling !== undefined) {
    const factors = ropeFactors({ scaling, theta }, config.headWidth);
    tensors.set('rope_freqs.weight', { shape: [factors.length], type: 'F32', pieces: () => [factors] });
  }
  for (const [name, source] of weights) {
    const isMatrix = source.shape.length === 2;
    const fits = source.shape.at(-1)! % blockLength[type] === 0;
    const heads = turnedHeads(config, name);
    tensors.set(ggufName(config, name), {
      shape: source.shape,
      type: isMatrix ? (fits ? type : 'F16') : 'F32',
      pieces: heads === undefined ? source.pieces : () => interleave(source, heads),
    });
  }
  return tensors;
}

/** The name in llama.cpp of a tensor of Hugging Face. */
export function ggufName(config: DecoderConfig, name: string): string {
  if (name === EMBEDDING) return 'token_embd.weight';
  if (name === FINAL_NORM) return 'output_norm.weight';
  if (name === headName(config)) return 'output.weight';
  const [, layer, part, kind] = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name) ?? [];
  const written = part === undefined ? undefined : parts[part];
  if (written === undefined) throw new Error(`${name} has no name in llama.cpp`);
  return `blk.${layer}.${written}.${kind}`;
}

/** The heads of a tensor whose rows have other places in GGUF than in Hugging Face's folders; undefined for other tensors. */
export function turnedHeads({ family, heads, keyValueHeads }: DecoderConfig, name: string): number | undefined {
  const part = family === 'llama' ? /\.self_attn\.([qk])_proj\./.exec(name)?.[1] : undefined;
  if (part === undefined) return undefined;
  return part === 'q' ? heads : keyValueHeads;
}

/**
 * Rotary positions turn pairs of numbers of a head. Hugging Face pairs the halves of a head, llama.cpp's architecture
 * `llama` neighbours. So the rows of a head change places: (0, n/2, 1, n/2 + 1, ...).
 *
 * @param back from llama.cpp's order to Hugging Face's
 */
export async function* interleave(
  { pieces, shape }: TensorSource,
  heads: number,
  back = false,
): AsyncIterable<Float32Array> {
  const [rows, width = 1] = shape as [number, number?];
  const half = rows / heads / 2;
  const head = 2 * half * width;
  for await (const piece of regroup(pieces(), head)) {
    const turned = new Float32Array(piece.length);
    for (let start = 0; start < piece.length; start += head) {
      for (let row = 0; row < 2 * half; row += 1) {
        const halved = start + ((row % 2) * half + Math.floor(row / 2)) * width;
        const paired = start + row * width;
        const [from, to] = back ? [paired, halved] : [halved, paired];
        turned.set(piece.subarray(from, from + width), to);
      }
    }
    yield turned;
  }
}
