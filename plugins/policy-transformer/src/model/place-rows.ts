import type { PrefixOrder } from './prefix-order.js';

/** Where the tokens of sequences lie in rows of equal width. */
export interface PlacedSequences {
  /** For each sequence, the place of each of its tokens: row * width + column. Columns grow along a sequence. */
  readonly paths: readonly Int32Array[];
  /** For each sequence, how many of its first tokens lie where those of an earlier sequence of the row lie. */
  readonly shared: readonly number[];
  readonly rows: number;
  readonly width: number;
}

/**
 * Places sequences of these lengths, up to `width` each, in rows of this width: each in the first row that has room. With
 * the longest first, that takes at most 11/9 of the fewest rows and one more (Johnson 1973, first fit decreasing).
 */
export function placeSequences(lengths: readonly number[], width: number): PlacedSequences {
  const used: number[] = [];
  const paths = lengths.map((length) => {
    const found = used.findIndex((taken) => taken + length <= width);
    const row = found === -1 ? used.length : found;
    const start = used[row] ?? 0;
    used[row] = start + length;
    return pathOf(row * width + start, length);
  });
  return { paths, shared: lengths.map(() => 0), rows: used.length, width };
}

/** Each sequence in a row of its own. */
export function placeApart(lengths: readonly number[], width: number): PlacedSequences {
  const paths = lengths.map((length, row) => pathOf(row * width, length));
  return { paths, shared: lengths.map(() => 0), rows: lengths.length, width };
}

/**
 * Places sequences, up to `width` each, so that tokens with equal tokens before them have one place. What a token
 * computes depends only on the tokens before it, so it is computed once for all sequences of a row that begin alike.
 */
export function placePrefixes(lengths: readonly number[], order: PrefixOrder, width: number): PlacedSequences {
  const paths = lengths.map((length) => new Int32Array(length));
  const shared = lengths.map(() => 0);
  let previous: Int32Array | undefined;
  const rows = fillRows(lengths, order, width, (sequence, { row, start, common }) => {
    const path = paths[sequence]!;
    if (common > 0) path.set(previous!.subarray(0, common));
    for (let position = common; position < path.length; position += 1) {
      path[position] = row * width + start + position - common;
    }
    shared[sequence] = common;
    previous = path;
  });
  return { paths, shared, rows, width };
}

/** The number of rows that `placePrefixes` takes. */
export function rowsOfPrefixes(lengths: readonly number[], order: PrefixOrder, width: number): number {
  return fillRows(lengths, order, width, () => undefined);
}

function fillRows(
  lengths: readonly number[],
  { order, common }: PrefixOrder,
  width: number,
  place: (sequence: number, at: { readonly row: number; readonly start: number; readonly common: number }) => void,
): number {
  let row = 0;
  let used = 0;
  for (const [index, sequence] of order.entries()) {
    const length = lengths[sequence]!;
    const isFirst = index === 0 || used + length - common[sequence]! > width;
    if (isFirst && index > 0) row += 1;
    if (isFirst) used = 0;
    const before = isFirst ? 0 : common[sequence]!;
    place(sequence, { row, start: used, common: before });
    used += length - before;
  }
  return order.length === 0 ? 0 : row + 1;
}

function pathOf(first: number, length: number): Int32Array {
  return Int32Array.from({ length }, (_, position) => first + position);
}
