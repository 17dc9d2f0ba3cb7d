import type { TokenizerFiles } from './tokenizer-files.js';

/**
 * Ends every message: a system text, an observation, an action. The only control token of a model from scratch; its id
 * is 0.
 */
export const endToken = '<|end|>';

/** Roles alternate, so one token between messages is enough. */
const template = `{% for message in messages %}{{ message['content'] }}${endToken}{% endfor %}`;

/** Parts of a tokenizer that do not depend on the text that it was trained on. */
export interface FixedParts {
  readonly normalizer: object | null;
  readonly pre_tokenizer: object;
  readonly decoder: object;
}

/** Whether the files are, byte by byte, those of a tokenizer from scratch with these parts, whatever its vocabulary. */
export function isFromScratch(files: TokenizerFiles, parts: FixedParts): boolean {
  if (files.chatTemplate !== template || files.additionalTemplates !== undefined) return false;
  try {
    const { model } = JSON.parse(files.tokenizer) as { readonly model: object };
    const own = chatFiles({ ...parts, model });
    return own.tokenizer === files.tokenizer && own.config === files.config;
  } catch {
    return false;
  }
}

/** The files of a tokenizer whose vocabulary begins with `endToken`. */
export function chatFiles(parts: FixedParts & { readonly model: object }): TokenizerFiles {
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
