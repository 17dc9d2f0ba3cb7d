/** Where a sequence lies: a row, and the place in it of the sequence's first token. */
export interface SequencePlace {
  readonly row: number;
  readonly start: number;
}

/** Places of sequences, in order, and the number of rows that they take. */
export interface PlacedSequences {
  readonly places: readonly SequencePlace[];
  readonly rows: number;
}

/**
 * Places sequences of these lengths, up to `width` each, in rows of this width: each in the first row that has room. With
 * the longest first, that takes at most 11/9 of the fewest rows and one more (Johnson 1973, first fit decreasing).
 */
export function placeSequences(lengths: readonly number[], width: number): PlacedSequences {
  const used: number[] = [];
  const places = lengths.map((length) => {
    const found = used.findIndex((taken) => taken + length <= width);
    const row = found === -1 ? used.length : found;
    const start = used[row] ?? 0;
    used[row] = start + length;
    return { row, start };
  });
  return { places, rows: used.length };
}

/** Each sequence in a row of its own. */
export function placeApart(count: number): PlacedSequences {
  return { places: Array.from({ length: count }, (_, row) => ({ row, start: 0 })), rows: count };
}
