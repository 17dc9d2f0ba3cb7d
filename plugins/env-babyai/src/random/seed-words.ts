// How numpy turns a seed into the state of a generator: `numpy.random.SeedSequence` (numpy/random/bit_generator.pyx),
// after M. E. O'Neill's `seed_seq`.

const poolSize = 4;
const firstHash = 0x43b0d7e5;
const hashFactor = 0x931e8875;
const firstOutput = 0x8b51f9dd;
const outputFactor = 0x58f38ded;
const mixLeft = 0xca01f9dd;
const mixRight = 0x4973f715;
const shift = 16;

/**
 * `SeedSequence(seed).generate_state(count)`: words of 32 bits, unsigned.
 * Throws a `RangeError` if the seed is not an integer from 0 to 2^53 - 1.
 */
export function seedWords(seed: number, count: number): Uint32Array {
  if (!Number.isSafeInteger(seed) || seed < 0) {
    throw new RangeError(`A seed is an integer from 0 to ${Number.MAX_SAFE_INTEGER}, not ${String(seed)}`);
  }
  const pool = mixEntropy(seed > 0xffffffff ? [seed % 2 ** 32, Math.floor(seed / 2 ** 32)] : [seed]);
  const words = new Uint32Array(count);
  let hash = firstOutput;
  for (let index = 0; index < count; index += 1) {
    let word = (pool[index % poolSize] as number) ^ hash;
    hash = Math.imul(hash, outputFactor);
    word = Math.imul(word, hash);
    words[index] = word ^ (word >>> shift);
  }
  return words;
}

function mixEntropy(entropy: readonly number[]): Int32Array {
  let hash = firstHash;
  const hashed = (value: number): number => {
    let word = value ^ hash;
    hash = Math.imul(hash, hashFactor);
    word = Math.imul(word, hash);
    return word ^ (word >>> shift);
  };
  const pool = new Int32Array(poolSize);
  for (let index = 0; index < poolSize; index += 1) pool[index] = hashed(entropy[index] ?? 0);
  for (let source = 0; source < poolSize; source += 1) {
    for (let target = 0; target < poolSize; target += 1) {
      if (source === target) continue;
      const other = hashed(pool[source] as number);
      const mixed = Math.imul(mixLeft, pool[target] as number) - Math.imul(mixRight, other);
      pool[target] = mixed ^ (mixed >>> shift);
    }
  }
  return pool;
}
