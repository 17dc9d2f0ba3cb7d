import { firstSeen, MASKED } from './causal-mask.js';
import { orderByPrefix } from './prefix-order.js';

/** Sequences whose tokens lie in one list, in which tokens with equal tokens before them are one. */
export interface SharedTokens {
  /** For each sequence, the index of each of its tokens in the list. */
  readonly paths: readonly Int32Array[];
  /** For each sequence, how many of its first tokens an earlier sequence of the list has brought. */
  readonly common: readonly number[];
  /** Length of the list. */
  readonly count: number;
}

/** Some tokens of a sequence that ask together: those at [from, to), which see the keys before `to`. */
interface Chunk {
  readonly sequence: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Rows of attention over shared tokens: each has up to `queries` tokens of one sequence that ask, and the keys of that
 * sequence. Every token asks once, and is a key in each row that sees it.
 */
export interface SharedRows {
  readonly rows: number;
  readonly queries: number;
  /** Keys of a row; the key in column p is at position p. */
  readonly width: number;
  /** The most rows that one token is a key of. */
  readonly uses: number;
  /** int32 [rows, queries]; 0 for a place without a token. */
  readonly tokenOfQuery: Int32Array;
  /** int32 [rows, queries], the same, but the number of tokens for a place without one. */
  readonly queryOrNone: Int32Array;
  /** The place of each token among the queries, int32 [tokens]. */
  readonly queryOfToken: Int32Array;
  /** int32 [rows, width]; 0 for a place without a token. */
  readonly tokenOfKey: Int32Array;
  /** The places of each token among the keys, int32 [tokens, uses]; rows * width where there are no more. */
  readonly keysOfToken: Int32Array;
  /** [rows, 1, group * queries, width] values added to scores; with a window, only its last keys are seen. */
  readonly mask: (group: number, window: number | undefined) => Float32Array;
}

/** Sequences that begin alike are neighbours in the list. */
export function shareBeginnings(sequences: readonly ArrayLike<number>[]): SharedTokens {
  const { order, common } = orderByPrefix(sequences);
  const paths = sequences.map(({ length }) => new Int32Array(length));
  let count = 0;
  let previous: Int32Array | undefined;
  for (const sequence of order) {
    const path = paths[sequence]!;
    if (previous !== undefined) path.set(previous.subarray(0, common[sequence]));
    for (let position = common[sequence]!; position < path.length; position += 1) path[position] = count++;
    previous = path;
  }
  return { paths, common, count };
}

/** Sizes are multiples of it: few shapes need less planning than many. */
const MULTIPLE = 8;
/** To look up the keys of a row takes about as long as the scores of so many queries. */
const QUERIES_OF_LOOKUP = 16;

/**
 * The scores that attention computes for shared tokens, and the number of queries of a row with which they are
 * fewest: rows of many queries are padded where a sequence adds few tokens, and rows of few look up the same keys often.
 */
export function queriesOf({ paths, common }: SharedTokens): { readonly queries: number; readonly scores: number } {
  const own = paths.map(({ length }, sequence) => length - common[sequence]!);
  const width = roundUp(Math.max(1, ...paths.map(({ length }) => length)));
  let best = { queries: 0, scores: Infinity, work: Infinity };
  for (let queries = MULTIPLE; queries < Math.max(...own) + MULTIPLE; queries += MULTIPLE) {
    const rows = own.reduce((sum, tokens) => sum + Math.ceil(tokens / queries), 0);
    const work = rows * width * (queries + QUERIES_OF_LOOKUP);
    if (work < best.work) best = { queries, scores: rows * width * queries, work };
  }
  return best;
}

/** Rows of up to `queries` tokens that ask. @param tokens at least those of the list */
export function sharedRows({ paths, common }: SharedTokens, queries: number, tokens: number): SharedRows {
  const chunks: Chunk[] = [];
  for (const [sequence, { length }] of paths.entries()) {
    for (let from = common[sequence]!; from < length; from += queries) {
      chunks.push({ sequence, from, to: Math.min(length, from + queries) });
    }
  }
  const rows = chunks.length;
  const width = roundUp(Math.max(1, ...paths.map(({ length }) => length)));
  const tokenOfQuery = new Int32Array(rows * queries);
  const queryOrNone = new Int32Array(rows * queries).fill(tokens);
  const queryOfToken = new Int32Array(tokens);
  const tokenOfKey = new Int32Array(rows * width);
  const counts = new Int32Array(tokens);
  for (const { sequence, to } of chunks) for (const token of paths[sequence]!.subarray(0, to)) counts[token]! += 1;
  const uses = counts.reduce((most, count) => Math.max(most, count), 1);
  const keysOfToken = new Int32Array(tokens * uses).fill(rows * width);
  counts.fill(0);
  for (const [row, { sequence, from, to }] of chunks.entries()) {
    const path = paths[sequence]!;
    for (let position = from; position < to; position += 1) {
      const [token, place] = [path[position]!, row * queries + position - from];
      tokenOfQuery[place] = token;
      queryOrNone[place] = token;
      queryOfToken[token] = place;
    }
    for (let position = 0; position < to; position += 1) {
      const [token, place] = [path[position]!, row * width + position];
      tokenOfKey[place] = token;
      keysOfToken[token * uses + counts[token]!++] = place;
    }
  }
  const mask = (group: number, window: number | undefined): Float32Array => {
    const values = new Float32Array(rows * group * queries * width).fill(MASKED);
    for (const [row, { from, to }] of chunks.entries()) {
      for (let position = from; position < to; position += 1) {
        for (let query = 0; query < group; query += 1) {
          const line = ((row * group + query) * queries + position - from) * width;
          values.fill(0, line + firstSeen(position, window), line + position + 1);
        }
      }
    }
    return values;
  };
  return { rows, queries, width, uses, tokenOfQuery, queryOrNone, queryOfToken, tokenOfKey, keysOfToken, mask };
}

function roundUp(size: number): number {
  return Math.ceil(size / MULTIPLE) * MULTIPLE;
}
