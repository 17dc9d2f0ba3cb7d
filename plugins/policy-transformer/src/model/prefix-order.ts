/** Sequences in the order of their tokens, in which those with a common beginning are neighbours. */
export interface PrefixOrder {
  /** Indices of the sequences. */
  readonly order: readonly number[];
  /** For each sequence, by index: how many first tokens it shares with the one before it in the order. */
  readonly common: readonly number[];
}

/** Sorts by the first token that differs. Equal sequences stay in their order. */
export function orderByPrefix(sequences: readonly ArrayLike<number>[]): PrefixOrder {
  const compare = (a: number, b: number): number => {
    const [left, right] = [sequences[a]!, sequences[b]!];
    const at = commonPrefix(left, right);
    if (at < left.length && at < right.length) return left[at]! - right[at]!;
    return left.length - right.length || a - b;
  };
  const order = [...sequences.keys()].sort(compare);
  const common = new Array<number>(sequences.length).fill(0);
  for (const [place, index] of order.entries()) {
    if (place > 0) common[index] = commonPrefix(sequences[order[place - 1]!]!, sequences[index]!);
  }
  return { order, common };
}

/**
 * How many first tokens two sequences share.
 *
 * @param known so many are known to be equal
 */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>, known = 0): number {
  const most = Math.min(a.length, b.length);
  let count = Math.min(known, most);
  while (count < most && a[count] === b[count]) count += 1;
  return count;
}
