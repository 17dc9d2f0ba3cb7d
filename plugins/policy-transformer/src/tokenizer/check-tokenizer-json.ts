import type { TokenizerJson } from './tokenizer-files.js';

/** Larger ids are mistakes: the largest published vocabularies have about a million. */
const LARGEST_ID = 2 ** 21;
const modelTypes = ['BPE', 'Unigram', 'WordPiece', 'WordLevel'];
const flags = ['lstrip', 'rstrip', 'single_word', 'special', 'normalized'] as const;

/** Parts that change texts, and where a `Sequence` of each has its parts. */
const partsOf = {
  normalizer: 'normalizers',
  pre_tokenizer: 'pretokenizers',
  post_processor: 'processors',
  decoder: 'decoders',
};

/**
 * Checks the parts and the tokens of a tokenizer.json: each part has a type, each merge is two tokens, the ids of tokens
 * are numbers of a vocabulary, each is the id of one token, and `added_tokens` agrees with the vocabulary. Throws an error
 * that names the part or the token.
 */
export function checkTokenizerJson(json: unknown): asserts json is TokenizerJson {
  const { added_tokens: added, model, ...others } = asObject(json) ?? {};
  const { merges, type, vocab } = asObject(model) ?? {};
  if (!Array.isArray(added) || typeof vocab !== 'object' || vocab === null) {
    throw new Error('tokenizer.json has no "added_tokens" or no "model.vocab"');
  }
  if (type !== undefined && !modelTypes.includes(type as string)) {
    throw refuse(`model.type ${JSON.stringify(type)} is not known: it must be ${modelTypes.join(', ')}`);
  }
  for (const [name, list] of Object.entries(partsOf)) checkPart(others[name] ?? null, name, list);
  if (type === 'BPE' || merges !== undefined) checkMerges(merges);
  const ids = Array.isArray(vocab) ? placesOf(vocab as unknown[]) : (vocab as Ids);
  const used = new Uint8Array(LARGEST_ID + 1);
  const add = (token: string, id: unknown, list: string) => {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > LARGEST_ID) {
      throw refuse(
        `${list}: the id of ${shorten(token)} must be a whole number from 0 to ${LARGEST_ID}, not ${shorten(id)}`,
      );
    }
    if (used[id] === 1)
      throw refuse(`two tokens have the id ${id}: ${shorten(otherWith(id, token))} and ${shorten(token)}`);
    used[id] = 1;
  };
  const otherWith = (id: number, token: string) =>
    [...Object.keys(ids), ...seen.keys()].find((one) => one !== token && (seen.get(one) ?? ids[one]) === id);
  const seen = new Map<string, number>();
  for (const token of Object.keys(ids)) add(token, ids[token], 'model.vocab');
  for (const [place, token] of (added as unknown[]).entries()) {
    const { content, id, ...others } = asObject(token) ?? {};
    if (typeof content !== 'string' || content === '') {
      throw refuse(`added_tokens[${place}] has no text "content"`);
    }
    for (const flag of flags) {
      if (others[flag] === undefined || typeof others[flag] === 'boolean') continue;
      throw refuse(`added_tokens: "${flag}" of ${JSON.stringify(content)} must be true or false`);
    }
    const known = Object.hasOwn(ids, content) ? ids[content] : seen.get(content);
    if (known !== undefined && known !== id) {
      throw refuse(`the token ${JSON.stringify(content)} has two ids: ${shorten(known)} and ${shorten(id)}`);
    }
    if (known === undefined) add(content, id, 'added_tokens');
    seen.set(content, id as number);
  }
}

function checkPart(part: unknown, where: string, list: string): void {
  if (part === null) return;
  const { pattern, single, type, [list]: parts } = asObject(part) ?? {};
  if (typeof type !== 'string') throw refuse(`${where} must have a "type" that is a text, not ${shorten(part)}`);
  // The library takes another pattern as none, and only warns.
  if (['Split', 'Replace'].includes(type) && !isPattern(pattern)) {
    throw refuse(`${where}.pattern must be {"Regex": TEXT} or {"String": TEXT}, not ${shorten(pattern)}`);
  }
  if (type === 'TemplateProcessing' && !(Array.isArray(single) && single.every((one) => asObject(one)))) {
    throw refuse(`${where}.single must be a list of parts, not ${shorten(single)}`);
  }
  if (type !== 'Sequence') return;
  if (!Array.isArray(parts)) throw refuse(`${where}.${list} must be a list`);
  for (const [index, one] of parts.entries()) checkPart(one ?? undefined, `${where}.${list}[${index}]`, list);
}

function isPattern(value: unknown): boolean {
  const { Regex, String } = asObject(value) ?? {};
  return typeof Regex === 'string' || typeof String === 'string';
}

type Ids = { readonly [token: string]: unknown };

/** The tokens of a Unigram vocabulary, whose ids are their places. */
function placesOf(vocab: readonly unknown[]): Ids {
  const places = Object.create(null) as { [token: string]: number };
  for (const [place, entry] of vocab.entries()) {
    const [token, score] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof token !== 'string' || typeof score !== 'number') {
      throw refuse(`model.vocab[${place}] must be a token and its score, not ${shorten(entry)}`);
    }
    places[token] = place;
  }
  return places;
}

/** The library skips a merge that is none, and so encodes otherwise than the model learned. */
function checkMerges(merges: unknown): void {
  if (!Array.isArray(merges)) throw refuse(`model.merges must be a list, not ${shorten(merges)}`);
  const place = (merges as unknown[]).findIndex((merge) => {
    const pair: unknown = typeof merge === 'string' ? merge.split(' ') : merge;
    return !Array.isArray(pair) || pair.length !== 2 || !pair.every((part) => typeof part === 'string' && part !== '');
  });
  if (place >= 0) throw refuse(`model.merges[${place}] must be two tokens, not ${shorten(merges[place])}`);
}

function refuse(cause: string): Error {
  return new Error(`tokenizer.json: ${cause}. Take the file from the model's own folder.`);
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

function asObject(value: unknown): { readonly [key: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: unknown })
    : undefined;
}
