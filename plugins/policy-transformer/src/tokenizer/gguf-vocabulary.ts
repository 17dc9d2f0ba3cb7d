import { byteCharacters } from './byte-level-text.js';
import { storedTemplates } from './stored-templates.js';
import type { TokenizerFiles } from './tokenizer-files.js';

/** A value of a GGUF file's metadata. Whole numbers of 64 bits are numbers, too: sizes and counts stay below 2^53. */
export type GgufField = number | boolean | string | readonly number[] | readonly string[];

/** A tokenizer as llama.cpp reads it (`tokenizer.ggml.*`), of its model `gpt2`: byte pairs over bytes. */
export interface GgufVocabulary {
  /** The name of the rule that splits a text into words (`tokenizer.ggml.pre`). */
  readonly pre: string;
  /** One for each row of the embedding. */
  readonly tokens: readonly string[];
  /** 1 of the vocabulary, 3 a control token, 4 an added token that may be in a text, 5 a row without a token. */
  readonly types: readonly number[];
  /** Pairs with a space between them, the first learned first. */
  readonly merges: readonly string[];
  /** Whether a text starts with the token `bos`, or ends with `eos`, when it is encoded. */
  readonly addsBos: boolean;
  readonly addsEos: boolean;
  readonly chatTemplate: string;
}

interface Json {
  readonly [key: string]: unknown;
}

// The patterns of tokenizer.json for which llama.cpp has a name (`llama-vocab.cpp`).
const ends = '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const starts = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+";
const patterns: { readonly [pattern: string]: string } = {
  [`${starts}|\\p{N}${ends}`]: 'qwen2',
  [`${starts}|\\p{N}{1,3}${ends}`]: 'llama-bpe',
};

/** The pattern of a rule of llama.cpp. */
export function patternOf(pre: 'llama-bpe' | 'qwen2'): string {
  return Object.keys(patterns).find((pattern) => patterns[pattern] === pre)!;
}

/**
 * The vocabulary of a tokenizer. Throws with the reason if llama.cpp would encode a text in another way.
 *
 * @param rows of the embedding, at least as many as there are ids
 */
export function ggufVocabulary(files: TokenizerFiles, rows: number): GgufVocabulary {
  const tokenizer = JSON.parse(files.tokenizer) as Json;
  const model = tokenizer['model'] as Json;
  const pre = readPreTokenizer(tokenizer);
  refuseModel(tokenizer, model, pre);
  const added = tokenizer['added_tokens'] as readonly AddedToken[];
  const bytes = new Set(byteCharacters());
  const tokens = Array.from({ length: rows }, (_, id) => `[PAD${id}]`);
  const types = Array.from({ length: rows }, (): number => TYPES.unused);
  for (const [token, id] of Object.entries(model['vocab'] as { readonly [token: string]: number })) {
    tokens[id] = token;
    types[id] = TYPES.normal;
    if ([...token].every((character) => bytes.has(character)) || added.some((one) => one.id === id)) continue;
    throw refusal(`the token ${JSON.stringify(token)} is not spelled in bytes`);
  }
  for (const { content, id, lstrip, rstrip, single_word: single, special } of added) {
    if (lstrip === true || rstrip === true || single === true) {
      throw refusal(`the added token ${JSON.stringify(content)} takes white space or whole words only`);
    }
    tokens[id] = content;
    types[id] = special === true || looksSpecial(content) ? TYPES.control : TYPES.userDefined;
  }
  const merges = (model['merges'] as readonly (string | readonly [string, string])[]).map((pair) =>
    typeof pair === 'string' ? pair : pair.join(' '),
  );
  const config = JSON.parse(files.config) as Json;
  return {
    ...{ pre, tokens, types, merges },
    ...readTemplate(tokenizer['post_processor'] as Json | null | undefined),
    chatTemplate: storedTemplates(files, config).default.source,
  };
}

/** `tokenizer.ggml.token_type`. */
export const TYPES = { normal: 1, control: 3, userDefined: 4, unused: 5 } as const;

interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly single_word?: boolean;
  readonly special?: boolean;
}

/** Names that mark a control token for llama.cpp's converter, even if tokenizer.json does not say so. */
function looksSpecial(token: string): boolean {
  return /^(?:<pad>|<mask>|<2mass>|\[@BOS@\]|<\|.*\|>|<｜.*｜>|<unused.*>)$/s.test(token);
}

function readPreTokenizer({ pre_tokenizer: given }: Json): string {
  const outer = (given ?? {}) as Json;
  const steps = (outer['type'] === 'Sequence' ? outer['pretokenizers'] : [outer]) as readonly Json[];
  const [first, last] = [steps[0]!, steps.at(-1)!];
  if (last['type'] !== 'ByteLevel') {
    throw refusal(
      'its tokenizer does not work on bytes. A model from scratch has such a tokenizer with the policy option `tokenizer: bytes`',
    );
  }
  if (last['add_prefix_space'] === true) throw refusal('its tokenizer puts a space before a text');
  const usesOwn = last['use_regex'] !== false;
  if (steps.length === 1 && usesOwn) return 'gpt-2';
  if (steps.length === 2 && usesOwn && first['type'] === 'Digits' && first['individual_digits'] === true)
    return 'smollm';
  const pattern = (first['pattern'] as Json | undefined)?.['Regex'];
  const isSplit = first['type'] === 'Split' && first['behavior'] === 'Isolated' && first['invert'] !== true;
  const known =
    steps.length === 2 && !usesOwn && isSplit && typeof pattern === 'string' ? patterns[pattern] : undefined;
  if (known === undefined)
    throw refusal(`llama.cpp is not known to split words as its tokenizer: ${JSON.stringify(given)}`);
  return known;
}

function refuseModel(tokenizer: Json, model: Json, pre: string): void {
  const { normalizer } = tokenizer as { readonly normalizer?: Json | null };
  if (model['type'] !== 'BPE') throw refusal(`its tokenizer is ${JSON.stringify(model['type'])}, not byte pairs`);
  // llama.cpp's converter writes models of Qwen, too, whose tokenizer composes characters (NFC).
  if (normalizer != null && normalizer['type'] !== 'NFC') {
    throw refusal(`its tokenizer changes texts: ${JSON.stringify(normalizer)}`);
  }
  for (const key of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix', 'byte_fallback']) {
    const value = model[key];
    if (value != null && value !== '' && value !== false)
      throw refusal(`its tokenizer has ${key} ${JSON.stringify(value)}`);
  }
  const ignores = model['ignore_merges'] === true;
  if (ignores !== (pre === 'llama-bpe')) {
    throw refusal(`its tokenizer has ignore_merges ${String(ignores)}, and llama.cpp the opposite for ${pre}`);
  }
}

/** The special tokens around a text. */
function readTemplate(given: Json | null | undefined): Pick<GgufVocabulary, 'addsBos' | 'addsEos'> {
  const steps = given?.['type'] === 'Sequence' ? (given['processors'] as readonly Json[]) : [given ?? {}];
  const single = (steps.find(({ type }) => type === 'TemplateProcessing')?.['single'] ?? []) as readonly Json[];
  const isToken = (part: Json | undefined) => part !== undefined && 'SpecialToken' in part;
  return { addsBos: isToken(single[0]), addsEos: isToken(single.at(-1)) };
}

function refusal(reason: string): Error {
  return new Error(`a GGUF file cannot have this tokenizer: ${reason}`);
}
