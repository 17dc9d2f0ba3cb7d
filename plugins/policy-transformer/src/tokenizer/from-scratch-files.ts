import type { TokenizerFiles } from './tokenizer-files.js';

/**
 * Ends every message: a system text, an observation, an action. The only control token of a model from scratch; its id
 * is 0.
 */
export const endToken = '<|end|>';

/** Roles alternate, so one token between messages is enough. */
const template = `{% for message in messages %}{{ message['content'] }}${endToken}{% endfor %}`;

/** The files of a tokenizer whose vocabulary begins with `endToken`. */
export function chatFiles(parts: {
  readonly normalizer: object | null;
  readonly pre_tokenizer: object;
  readonly decoder: object;
  readonly model: object;
}): TokenizerFiles {
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      { id: 0, content: endToken, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
    ],
    normalizer: parts.normalizer,
    pre_tokenizer: parts.pre_tokenizer,
    post_processor: null,
    decoder: parts.decoder,
    model: parts.model,
  };
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    clean_up_tokenization_spaces: false,
    eos_token: endToken,
    pad_token: endToken,
  };
  return {
    tokenizer: `${JSON.stringify(tokenizer, undefined, 2)}\n`,
    config: `${JSON.stringify(config, undefined, 2)}\n`,
    chatTemplate: template,
  };
}
