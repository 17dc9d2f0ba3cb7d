import { endianness } from 'node:os';

/**
 * Numbers of 64 bits, ascending: the hash of each row above the row.
 *
 * @param hashes of the rows, 32 bits each
 * @param onEqual is called with all pairs of rows that have the same hash
 */
export function sortHashes(
  hashes: readonly number[],
  onEqual: (row: number, other: number) => void,
): BigUint64Array<ArrayBuffer> {
  const sorted = new BigUint64Array(hashes.length);
  // Its halves are read and written as numbers, which is much faster than to compute with long ones.
  const halves = new Uint32Array(sorted.buffer);
  const high = endianness() === 'LE' ? 1 : 0;
  const low = 1 - high;
  for (const [row, hash] of hashes.entries()) {
    halves[2 * row + high] = hash;
    halves[2 * row + low] = row;
  }
  sorted.sort();
  for (let start = 0, end = 1; end < sorted.length; end += 1) {
    if (halves[2 * end + high] !== halves[2 * start + high]) start = end;
    for (let place = start; place < end; place += 1) {
      onEqual(halves[2 * place + low] as number, halves[2 * end + low] as number);
    }
  }
  return sorted;
}
