/*
 * Text never becomes a control token here. The library recognises added tokens in plain text, and many vocabularies
 * also list them as ordinary tokens. So the encoding instance is built without added tokens, and their spellings are
 * removed from its vocabulary. Only this class knows their ids. Added tokens of white space, such as Gemma's runs of line
 * ends, control nothing: they are text, and are found before the rest of it, as Hugging Face's `tokenizers` does. A
 * prefix (`text-prefix.ts`) stands where `tokenizers` writes it in the whole text: so texts are encoded by their place.
 */
import { Tokenizer } from '@huggingface/tokenizers';

import { byteLevelText } from './byte-level-text.js';
import { checkTokenizerJson } from './check-tokenizer-json.js';
import { remember } from './remember.js';
import { splitAsRust } from './split-as-rust.js';
import { readTextPrefix } from './text-prefix.js';
import type { TokenizerJson } from './tokenizer-files.js';

type AddedToken = TokenizerJson['added_tokens'][number];

/** The used part of the library. Its own types import files without extensions, which NodeNext does not resolve. */
interface LibraryTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly ids: (number | undefined)[] };
  decode(ids: readonly number[], options: { readonly clean_up_tokenization_spaces: boolean }): string;
  id_to_token(id: number): string | undefined;
  readonly normalizer: ((text: string) => string) | null;
}
const Library = Tokenizer as unknown as new (json: object, config: object) => LibraryTokenizer;

/**
 * Where a text stands: at the start of the whole, behind a control token, or behind other text. Some tokenizers put a
 * space in front of the first two.
 */
export type TextPlace = 'start' | 'fresh' | 'inner';

/** Text to ids and back, without special tokens. `addedToken` looks these up. */
export class TextTokenizer {
  /** One more than the largest id. */
  readonly vocabularySize: number;
  /** Whether ids of a text depend on its place. */
  readonly hasPrefix: boolean;
  /** Encodes with the prefix, and decodes texts that have one. The same as `#bare` if the tokenizer has none. */
  readonly #library: LibraryTokenizer;
  readonly #bare: LibraryTokenizer;
  readonly #onlyFirst: boolean;
  readonly #idOfAdded = new Map<string, number>();
  readonly #contentOfAdded = new Map<number, string>();
  readonly #splitter: RegExp;
  readonly #markupSplitter: RegExp;
  readonly #thoughtSplitter: RegExp;
  readonly #spaceSplitter: RegExp;
  readonly #idOfSpace: ReadonlyMap<string, number>;
  /** Added tokens that take the white space beside them. */
  readonly #strips: ReadonlyMap<number, { readonly lstrip?: boolean; readonly rstrip?: boolean }>;
  /** Whether each character of a token represents a byte. */
  readonly #bytes: boolean;
  /** Control tokens that `tokenizers` does not find where they are spelled: the normalizer changes them. */
  readonly #unfound: ReadonlySet<string>;
  readonly #encodeFresh = remember((text): readonly number[] => this.#encode(text, this.#library));
  readonly #encodeInner = remember((text): readonly number[] => this.#encode(text, this.#bare));

  /** @param json The parsed tokenizer.json. Throws if it is not one. */
  constructor(json: TokenizerJson) {
    checkTokenizerJson(json);
    const all = json.added_tokens;
    const spaces = spacesAmong(json);
    this.#idOfSpace = new Map(spaces.map(({ content, id }) => [content, id]));
    this.#spaceSplitter = splitterOf(spaces);
    const added = all.filter(({ content }) => !this.#idOfSpace.has(content));
    for (const { content, id } of added) {
      this.#idOfAdded.set(content, id);
      this.#contentOfAdded.set(id, content);
    }
    this.#strips = new Map(added.filter(({ lstrip, rstrip }) => lstrip || rstrip).map((token) => [token.id, token]));
    this.#bytes = JSON.stringify(json.decoder ?? null).includes('"ByteLevel"');
    const model = withoutTokens(json.model, added);
    const open = (parts: TokenizerJson) =>
      inFile(() => {
        const steps = { pre_tokenizer: splitAsRust(parts.pre_tokenizer), added_tokens: [], model };
        return new Library({ ...parts, ...steps }, {});
      });
    const prefix = readTextPrefix(json);
    this.#bare = open(prefix.without);
    this.#library = prefix.with === prefix.without ? this.#bare : open(prefix.with);
    this.#onlyFirst = prefix.onlyFirst;
    this.hasPrefix = this.#onlyFirst || this.#library !== this.#bare;
    const { normalizer } = this.#library;
    const isFound = ({ content, normalized, special }: AddedToken) =>
      !(normalized ?? special === false) ||
      normalizer === null ||
      normalizer(`a${content}a`).includes(normalizer(content));
    this.#unfound = new Set(added.filter((token) => !isFound(token)).map(({ content }) => content));
    this.#splitter = splitterOf(added.filter(isFound));
    const markup = added.filter((token) => token.special === false && isFound(token));
    this.#markupSplitter = splitterOf(markup);
    this.#thoughtSplitter = splitterOf(markup.filter(({ content }) => /think|thought|reason/i.test(content)));
    const { vocab } = json.model;
    const ids = Array.isArray(vocab) ? [vocab.length - 1] : Object.values(vocab as { [token: string]: number });
    this.vocabularySize = [...ids, ...this.#contentOfAdded.keys()].reduce((most, id) => Math.max(most, id), -1) + 1;
  }

  /** Ids of a text. Control tokens in it are encoded as ordinary text. The array is shared: do not change it. */
  encode(text: string, place: TextPlace = 'start'): readonly number[] {
    if (this.#onlyFirst && place === 'start' && text !== '' && !/^[ \u2581]/u.test(text))
      return this.#encodeInner(` ${text}`);
    return place === 'inner' ? this.#encodeInner(text) : this.#encodeFresh(text);
  }

  #encode(text: string, library: LibraryTokenizer): readonly number[] {
    if (text === '') return [];
    // Halves of surrogate pairs are not characters, and they mark the removed tokens.
    const parts = text.replace(/\p{Surrogate}/gu, '\ufffd').split(this.#spaceSplitter);
    const ids = parts.flatMap((part, place) => {
      if (place % 2 === 1) return this.#idOfSpace.get(part);
      return part === '' ? [] : (place === 0 ? library : this.#library).encode(part, { add_special_tokens: false }).ids;
    });
    if (!ids.every((id) => id !== undefined))
      throw new MissingToken(`the tokenizer has no token for ${JSON.stringify(text)}`);
    return ids;
  }

  /**
   * Text of ids, including added tokens. An undefined id or an incomplete UTF-8 sequence gives U+FFFD. A prefix that the
   * tokenizer puts in front of a text is left out.
   *
   * @param place where the ids stand
   */
  decode(ids: readonly number[], place: TextPlace = 'start'): string {
    let text = '';
    let run: number[] = [];
    let at = place;
    const flush = () => {
      const library = at === 'inner' ? this.#bare : this.#library;
      const decoded = run.length === 0 ? '' : library.decode(run, { clean_up_tokenization_spaces: false });
      text += this.#onlyFirst && at === 'start' && decoded.startsWith(' ') ? decoded.slice(1) : decoded;
      run = [];
    };
    for (const id of ids) {
      const added = this.#contentOfAdded.get(id);
      if (added === undefined && this.#bare.id_to_token(id) !== undefined) {
        run.push(id);
      } else {
        flush();
        text += added ?? '\ufffd';
        at = 'fresh';
      }
    }
    flush();
    return text;
  }

  /**
   * Text of one id for display: as in the vocabulary, with the leading space that decoding may remove. Bytes that are
   * not a whole character are escaped. An undefined id is shown as `<id>`.
   */
  piece(id: number): string {
    const token = this.#contentOfAdded.get(id) ?? this.#library.id_to_token(id);
    if (token === undefined) return `<${id}>`;
    if (this.#contentOfAdded.has(id)) return token;
    return this.#bytes ? (byteLevelText(token) ?? token) : token.replaceAll('\u2581', ' ');
  }

  /** A control token that a trusted text spells, but that `tokenizers` does not find there, because of its normalizer. */
  findLost(trusted: string): string | undefined {
    return [...this.#unfound].find((content) => trusted.includes(content));
  }

  /** The spellings of all control tokens. */
  get spellings(): readonly string[] {
    return [...this.#idOfAdded.keys()];
  }

  /** Id of a control token by its spelling. */
  addedToken(content: string): number | undefined {
    return this.#idOfAdded.get(content);
  }

  /**
   * Ids of texts and control tokens in turn, such as `splitAddedTokens` gives them. Texts side by side are encoded as
   * one. Control tokens written in a text are encoded as ordinary text.
   *
   * @param place where the first piece stands
   */
  encodePieces(pieces: readonly (number | string)[], place: TextPlace = 'start'): number[] {
    const ids: number[] = [];
    let text = '';
    let left: number | undefined;
    let at = place;
    const flush = (right?: number) => {
      if (left !== undefined && this.#strips.get(left)?.rstrip) text = text.replace(/^\p{White_Space}+/u, '');
      if (right !== undefined && this.#strips.get(right)?.lstrip) text = text.replace(/\p{White_Space}+$/u, '');
      for (const id of this.encode(text, at)) ids.push(id);
      text = '';
      left = right;
      at = 'fresh';
    };
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        text += piece;
      } else {
        flush(piece);
        ids.push(piece);
      }
    }
    flush();
    return ids;
  }

  /** Splits a *trusted* text (a rendered template) into control tokens, as ids, and the text between them. */
  splitAddedTokens(trusted: string): (number | string)[] {
    return this.#split(trusted, this.#splitter);
  }

  /**
   * Splits the text of an action into markup, as ids, and the text between it. Markup are the added tokens that are not
   * special: `<tool_call>`, `<think>` and so on, which a model writes as one token.
   */
  splitMarkup(action: string): (number | string)[] {
    return this.#split(action, this.#markupSplitter);
  }

  /** Like `splitMarkup`, for a text that a client says the model wrote: only marks of thoughts, such as `<think>`. */
  splitThoughts(text: string): (number | string)[] {
    return this.#split(text, this.#thoughtSplitter);
  }

  #split(text: string, splitter: RegExp): (number | string)[] {
    // The parts with odd places are tokens. A part between them may be spelled like one that is not searched.
    return text
      .split(splitter)
      .map((part, place) => (place % 2 === 1 ? this.#idOfAdded.get(part)! : part))
      .filter((part) => part !== '');
  }
}

/** A text has characters that the vocabulary lacks. */
export class MissingToken extends Error {}

/** Errors of the library do not name the file. */
function inFile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = error instanceof TypeError ? 'a part of it has the wrong type' : (error as Error).message;
    throw new Error(`tokenizer.json cannot be used: ${why}`, { cause: error });
  }
}

/** Finds added tokens, the longest first. Splits nothing if there are none. */
function splitterOf(added: readonly AddedToken[]): RegExp {
  const longestFirst = [...added].sort((a, b) => b.content.length - a.content.length);
  return new RegExp(`(${['(?!)', ...longestFirst.map(tokenPattern)].join('|')})`, 'u');
}

/** A `single_word` token is found only between characters that belong to no word. */
function tokenPattern({ content, single_word: alone }: AddedToken): string {
  const pattern = escapePattern(content);
  return alone ? `(?<!${wordCharacter})${pattern}(?!${wordCharacter})` : pattern;
}

/** As the regular expressions of Rust see it. */
const wordCharacter = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

/** Added tokens of white space, or of the sign for it, that the vocabulary has too. */
function spacesAmong({ added_tokens: added, model: { vocab } }: TokenizerJson): readonly AddedToken[] {
  return added.filter(
    ({ content, special }) =>
      special === false && /^(?:\s+|\u2581+)$/u.test(content) && !Array.isArray(vocab) && Object.hasOwn(vocab, content),
  );
}

/** The model without these tokens: they are renamed to strings that no well-formed text contains, except `unk_token`. */
function withoutTokens(model: TokenizerJson['model'], added: TokenizerJson['added_tokens']): object {
  const removed = new Set(added.map(({ content }) => content).filter((content) => content !== model.unk_token));
  const rename = (token: string) => (removed.has(token) ? `\udfff${token}\ud800` : token);
  const { vocab } = model;
  if (Array.isArray(vocab)) {
    return { ...model, vocab: (vocab as [string, number][]).map(([token, score]) => [rename(token), score]) };
  }
  const map = vocab as { [token: string]: number };
  if (![...removed].some((token) => Object.hasOwn(map, token))) return model;
  return { ...model, vocab: Object.fromEntries(Object.entries(map).map(([token, id]) => [rename(token), id])) };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
}
