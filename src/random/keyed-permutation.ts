// A shuffled order of any number of tasks that is computed instead of kept. The places are encrypted: an alternating
// Feistel network (Luby and Rackoff 1988, "How to construct pseudorandom permutations from pseudorandom functions") whose
// round function is a block of Philox permutes the numbers of some bits. Numbers that are too large are encrypted again
// until one is not ("cycle walking": Black and Rogaway 2002, "Ciphers with arbitrary finite domains").
import type { Random } from '../contracts/random.js';
import { philox4x32 } from './create-random.js';

/** Four are enough for large halves. A half may have a single bit here. */
const rounds = 10;

/**
 * A bijection of the whole numbers below `count`, drawn by the stream. It needs no memory, and gives the same numbers on
 * every machine. One call takes some microseconds.
 *
 * @throws RangeError if `count` is no whole number above 0
 */
export function keyedPermutation(count: number, random: Random): (place: number) => number {
  if (!(Number.isSafeInteger(count) && count > 0)) throw new RangeError(`${count} places cannot be permuted`);
  const keys = [random.integer(0, 2 ** 32), random.integer(0, 2 ** 32)] as const;
  let bits = 2;
  while (2 ** bits < count) bits += 1;
  const lowSize = 2 ** Math.floor(bits / 2);
  const highSize = 2 ** Math.ceil(bits / 2);
  const block = new Uint32Array(4);
  /** A random number below `size`, a power of 2, for a half of the number in a round. */
  const mix = (half: number, round: number, size: number): number => {
    block.set([half, round, count % 2 ** 32, Math.floor(count / 2 ** 32)]);
    philox4x32(block, ...keys);
    return (block[0] as number) & (size - 1);
  };
  const encrypt = (number: number): number => {
    let high = Math.floor(number / lowSize);
    let low = number % lowSize;
    for (let round = 0; round < rounds; round += 2) {
      high ^= mix(low, round, highSize);
      low ^= mix(high, round + 1, lowSize);
    }
    return high * lowSize + low;
  };
  return (place) => {
    if (!(Number.isInteger(place) && place >= 0 && place < count))
      throw new RangeError(`no place ${place} of ${count}`);
    let number = encrypt(place);
    while (number >= count) number = encrypt(number);
    return number;
  };
}

/**
 * An endless order of `count` places: in each epoch every place comes once, and each epoch has an order of its own. The
 * result gives the place at a position, from 0 on.
 */
export function epochOrder(count: number, random: Random): (position: number) => number {
  let known: { readonly epoch: number; readonly order: (place: number) => number } | undefined;
  return (position) => {
    const epoch = Math.floor(position / count);
    if (known?.epoch !== epoch) known = { epoch, order: keyedPermutation(count, random.stream('epoch', epoch)) };
    return known.order(position % count);
  };
}
