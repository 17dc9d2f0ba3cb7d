import type { DecoderConfig } from '../model/decoder-config.js';
import { EMBEDDING, HEAD } from '../model/parameters.js';
import { sameShape } from '../operations/shapes.js';
import type { TensorSource } from './safetensors.js';

/** A configuration that fits the stored head, and what the user should know. */
export interface StoredHead {
  readonly config: DecoderConfig;
  readonly notices: readonly string[];
}

/**
 * Compares `tie_word_embeddings` with the weights. A head that is stored beside the embedding although config.json ties both is
 * dropped if it has the same numbers. If it has others, both are kept, as transformers 5 does (`modeling_utils.py`,
 * `tie_weights`). Throws if the head is neither tied nor stored: transformers would fill it with random numbers.
 */
export async function matchHead(
  config: DecoderConfig,
  weights: ReadonlyMap<string, TensorSource>,
): Promise<StoredHead> {
  const [embedding, head] = [weights.get(EMBEDDING), weights.get(HEAD)];
  if (!config.tiedHead && head === undefined) {
    throw new Error(
      `the folder lacks ${HEAD}, and config.json says tie_word_embeddings: false. Set it to true if the head is the embedding`,
    );
  }
  if (!config.tiedHead || head === undefined || embedding === undefined) return { config, notices: [] };
  if (sameShape(head.shape, embedding.shape) && (await sameNumbers(head, embedding))) return { config, notices: [] };
  const notice = `${HEAD} has other numbers than ${EMBEDDING}, although config.json says tie_word_embeddings: true. Both are kept, and the head is not tied.`;
  return { config: { ...config, tiedHead: false }, notices: [notice] };
}

async function sameNumbers(one: TensorSource, other: TensorSource): Promise<boolean> {
  const others = iterate(other.pieces());
  for await (const piece of one.pieces()) {
    const { value: beside } = (await others.next()) as { value: Float32Array };
    if (piece.some((number, index) => number !== beside[index])) return false;
  }
  return true;
}

async function* iterate(pieces: ReturnType<TensorSource['pieces']>): AsyncGenerator<Float32Array> {
  yield* pieces;
}
