/*
 * Byte-level byte-pair encoding (Sennrich et al. 2016, over bytes as in GPT-2): repeatedly, the most frequent pair of
 * neighbours becomes a token. Of equally frequent pairs, the one with the lower ids comes first, as in Hugging Face's
 * trainer.
 */
import { byteCharacters } from './byte-level-text.js';
import { chatFiles, endToken } from './from-scratch-files.js';
import type { TokenizerFiles } from './tokenizer-files.js';

/** GPT-2's words, into which Hugging Face's `ByteLevel` pre-tokenizer splits a text. */
const words = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

interface Word {
  /** Current ids of its pieces. */
  pieces: number[];
  readonly count: number;
}

/** A pair of neighbours: how often it occurs, and the words it may occur in. */
interface Pair {
  count: number;
  readonly words: Set<number>;
}

const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };

/** The parts of every such tokenizer. */
export const byteParts = { normalizer: null, pre_tokenizer: level, decoder: level } as const;

/**
 * Trains a tokenizer that can encode every text without loss.
 * @param corpus One message each.
 * @param options.vocabularySize At least 257: the bytes and the end token. The result has fewer tokens if no pair
 * occurs twice any more.
 */
export async function trainByteLevelTokenizer(
  corpus: AsyncIterable<string> | Iterable<string>,
  options: { readonly vocabularySize: number },
): Promise<TokenizerFiles> {
  const alphabet = byteCharacters();
  const tokens = [endToken, ...[...alphabet].sort((a, b) => a.codePointAt(0)! - b.codePointAt(0)!)];
  const idOf = new Map(tokens.map((token, id) => [token, id]));
  const idOfByte = alphabet.map((character) => idOf.get(character)!);

  const encoder = new TextEncoder();
  const counts = new Map<string, number>();
  for await (const message of corpus) {
    for (const [word] of message.matchAll(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const corpusWords = [...counts].map(([word, count]): Word => ({
    pieces: Array.from(encoder.encode(word), (byte) => idOfByte[byte]!),
    count,
  }));
  const merges = learnMerges(corpusWords, tokens, options.vocabularySize);
  return chatFiles({
    ...byteParts,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  });
}

/** Adds a token for each merge to `tokens` until there are `size` of them, or no pair occurs twice. */
function learnMerges(words: readonly Word[], tokens: string[], size: number): [string, string][] {
  const pairs = new Map<number, Pair>();
  // Ids stay far below 2^20, so a pair is one exact number with the order of (left, right).
  const width = 2 ** 20;
  const change = (left: number, right: number, index: number, by: number) => {
    const key = left * width + right;
    const pair = pairs.get(key) ?? { count: 0, words: new Set<number>() };
    pair.count += by;
    if (by > 0) pair.words.add(index);
    if (pair.count > 0) pairs.set(key, pair);
    else pairs.delete(key);
  };
  const changeAll = (index: number, sign: 1 | -1) => {
    const { pieces, count } = words[index]!;
    for (let i = 1; i < pieces.length; i += 1) change(pieces[i - 1]!, pieces[i]!, index, sign * count);
  };
  for (const index of words.keys()) changeAll(index, 1);

  const merges: [string, string][] = [];
  while (tokens.length < size) {
    let best = -1;
    let most = 1;
    for (const [key, { count }] of pairs) {
      if (count > most || (count === most && best >= 0 && key < best)) [best, most] = [key, count];
    }
    if (best < 0) break;
    const left = Math.floor(best / width);
    const right = best % width;
    const merged = tokens.length;
    tokens.push(tokens[left]! + tokens[right]!);
    merges.push([tokens[left]!, tokens[right]!]);
    for (const index of pairs.get(best)!.words) {
      changeAll(index, -1);
      words[index]!.pieces = mergePair(words[index]!.pieces, left, right, merged);
      changeAll(index, 1);
    }
  }
  return merges;
}

/** Replaces every `left`, `right`, from left to right, by one piece. */
function mergePair(pieces: readonly number[], left: number, right: number, merged: number): number[] {
  const result: number[] = [];
  for (let i = 0; i < pieces.length; i += 1) {
    if (pieces[i] === left && pieces[i + 1] === right) {
      result.push(merged);
      i += 1;
    } else {
      result.push(pieces[i]!);
    }
  }
  return result;
}
