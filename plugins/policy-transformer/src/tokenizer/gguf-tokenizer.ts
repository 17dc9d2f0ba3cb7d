/*
 * The files of a tokenizer from the metadata of a GGUF file (`tokenizer.ggml.*`): byte pairs over bytes, llama.cpp's model `gpt2`.
 * GGUF names the rule that splits a text into words; the rules are in `llama-vocab.cpp`.
 */
import { ggufRefusal, shownField } from './gguf-refusal.js';
import { type GgufField, patternOf, TYPES } from './gguf-vocabulary.js';
import type { TokenizerFiles } from './tokenizer-files.js';

/** What a tokenizer from a GGUF file has besides its files. */
export interface GgufTokenizer extends TokenizerFiles {
  readonly tokens: number;
  readonly bos?: number;
  /** Ids that end a text: EOS, EOT and EOM. */
  readonly eos: readonly number[];
  readonly pad?: number;
}

type Fields = ReadonlyMap<string, GgufField>;

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true };
const split = (pattern: string) => [
  { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
  { ...byteLevel, use_regex: false },
];

/** By `tokenizer.ggml.pre`. */
const rules: {
  readonly [pre: string]: {
    readonly steps: readonly object[];
    readonly composes?: true;
    readonly ignoresMerges?: true;
  };
} = {
  'gpt-2': { steps: [{ ...byteLevel, use_regex: true }] },
  smollm: {
    steps: [
      { type: 'Digits', individual_digits: true },
      { ...byteLevel, use_regex: true },
    ],
  },
  'llama-bpe': { steps: split(patternOf('llama-bpe')), ignoresMerges: true },
  qwen2: { steps: split(patternOf('qwen2')), composes: true },
};

/** Throws an error that names what cannot be read. */
export function ggufTokenizer(fields: Fields): GgufTokenizer {
  const model = fields.get('tokenizer.ggml.model');
  if (model === undefined) throw ggufRefusal('it has no tokenizer (`tokenizer.ggml.model`)');
  if (model !== 'gpt2') {
    throw ggufRefusal(`its tokenizer is ${shownField(model)}; supported: gpt2, which is byte pairs over bytes`);
  }
  const pre = fields.get('tokenizer.ggml.pre');
  const rule = typeof pre === 'string' && Object.hasOwn(rules, pre) ? rules[pre] : undefined;
  if (rule === undefined) {
    throw ggufRefusal(
      `its texts are split into words by the rule ${shownField(pre)} (\`tokenizer.ggml.pre\`); supported: ${Object.keys(rules).join(', ')}`,
    );
  }
  const tokens = texts(fields, 'tokenizer.ggml.tokens');
  const types = numbers(fields, 'tokenizer.ggml.token_type', tokens.length);
  const merges = texts(fields, 'tokenizer.ggml.merges').map((pair, index) => {
    const parts = pair.split(' ');
    if (parts.length === 2) return pair;
    throw ggufRefusal(`tokenizer.ggml.merges[${index}] is ${shownField(pair)}, not two tokens with a space between`);
  });
  const id = (name: string) => idOf(fields, name, tokens.length);
  const [bos, pad] = [id('bos'), id('padding')];
  const eos = [...new Set([id('eos'), id('eot'), id('eom')].filter((one) => one !== undefined))];
  if (eos.length === 0) throw ggufRefusal('no token ends a text (`tokenizer.ggml.eos_token_id`)');
  const addsBos = flag(fields, 'add_bos_token', pre === 'llama-bpe') && bos !== undefined;
  const addsEos = flag(fields, 'add_eos_token', false);
  if (addsEos) throw ggufRefusal('its tokenizer puts an end token after each text (`tokenizer.ggml.add_eos_token`)');
  const template = fields.get('tokenizer.chat_template');
  if (template !== undefined && typeof template !== 'string') throw ggufRefusal('its chat template is not a text');
  const { added, vocabulary } = divide(tokens, types);
  for (const [index, pair] of merges.entries()) {
    const [left, right] = pair.split(' ') as [string, string];
    const absent = [left, right, left + right].find((token) => !Object.hasOwn(vocabulary, token));
    if (absent === undefined) continue;
    throw ggufRefusal(
      `tokenizer.ggml.merges[${index}] is ${shownField(pair)}, and the vocabulary has no token ${shownField(absent)}`,
    );
  }
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: rule.composes ? { type: 'NFC' } : null,
    pre_tokenizer: rule.steps.length === 1 ? rule.steps[0] : { type: 'Sequence', pretokenizers: rule.steps },
    post_processor: addsBos ? beginning(tokens[bos]!, bos) : null,
    decoder: { ...byteLevel, use_regex: true },
    model: {
      type: 'BPE',
      ...{ dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: rule.ignoresMerges === true },
      ...{ vocab: vocabulary, merges },
    },
  };
  const config = {
    tokenizer_class: 'PreTrainedTokenizerFast',
    clean_up_tokenization_spaces: false,
    ...(bos !== undefined && { bos_token: tokens[bos] }),
    eos_token: tokens[eos[0]!],
    ...(pad !== undefined && { pad_token: tokens[pad] }),
  };
  return {
    tokenizer: `${JSON.stringify(tokenizer)}\n`,
    config: `${JSON.stringify(config, undefined, 2)}\n`,
    ...(template !== undefined && { chatTemplate: template }),
    ...{ tokens: tokens.length, eos, ...(bos !== undefined && { bos }), ...(pad !== undefined && { pad }) },
  };
}

/** The vocabulary of byte pairs, and the tokens that are found in a text before it is divided. */
function divide(tokens: readonly string[], types: readonly number[]) {
  const vocabulary: { [token: string]: number } = Object.create(null) as { [token: string]: number };
  const added: object[] = [];
  for (const [id, content] of tokens.entries()) {
    const type = types[id]!;
    if (type === TYPES.unused) continue;
    const isAdded = type === TYPES.control || type === TYPES.userDefined;
    if (!isAdded && type !== TYPES.normal) {
      throw ggufRefusal(`the token ${id}, ${shownField(content)}, has the type ${type}; supported: 1, 3, 4, 5`);
    }
    if (Object.hasOwn(vocabulary, content))
      throw ggufRefusal(`the tokens ${vocabulary[content]} and ${id} are both ${shownField(content)}`);
    vocabulary[content] = id;
    if (!isAdded) continue;
    const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false };
    added.push({ id, content, ...plain, special: type === TYPES.control });
  }
  return { added, vocabulary };
}

/** A text begins with a token. */
function beginning(token: string, id: number): object {
  const special = { SpecialToken: { id: token, type_id: 0 } };
  const text = (name: string) => ({ Sequence: { id: name, type_id: 0 } });
  return {
    type: 'TemplateProcessing',
    single: [special, text('A')],
    pair: [special, text('A'), { SpecialToken: { id: token, type_id: 1 } }, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: { [token]: { id: token, ids: [id], tokens: [token] } },
  };
}

function idOf(fields: Fields, name: string, tokens: number): number | undefined {
  const key = `tokenizer.ggml.${name}_token_id`;
  const value = fields.get(key);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < tokens) return value;
  throw ggufRefusal(`${key} is ${shownField(value)}, and the vocabulary has ${tokens} tokens`);
}

function flag(fields: Fields, name: string, otherwise: boolean): boolean {
  const value = fields.get(`tokenizer.ggml.${name}`) ?? otherwise;
  if (typeof value === 'boolean') return value;
  throw ggufRefusal(`tokenizer.ggml.${name} is ${shownField(value)}, not true or false`);
}

function texts(fields: Fields, key: string): readonly string[] {
  const value = fields.get(key);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw ggufRefusal(value === undefined ? `it has no ${key}` : `${key} is not a list of texts`);
}

function numbers(fields: Fields, key: string, count: number): readonly number[] {
  const value = fields.get(key);
  if (Array.isArray(value) && value.length === count && value.every((item) => typeof item === 'number')) return value;
  throw ggufRefusal(value === undefined ? `it has no ${key}` : `${key} is not a list of ${count} numbers`);
}
