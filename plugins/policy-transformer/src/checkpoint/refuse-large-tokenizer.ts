import type { DecoderConfig } from '../model/decoder-config.js';

/**
 * Throws if a tokenizer gives ids that the embedding does not have. A model may have more rows than its tokenizer has
 * tokens.
 *
 * @param tokens number of ids of the tokenizer
 */
export function refuseLargeTokenizer(tokens: number, { vocabularySize }: DecoderConfig): void {
  if (tokens <= vocabularySize) return;
  throw new Error(
    `tokenizer.json has ids up to ${tokens - 1}, but the embedding has only ${vocabularySize} rows (vocab_size of ` +
      'config.json): use the tokenizer of this model, or resize the embedding',
  );
}
