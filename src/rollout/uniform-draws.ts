import type { Random } from '../contracts/random.js';

/** Uniform numbers in (0, 1], one for each token that may be drawn. */
export function uniformDraws(random: Random, count: number): Float64Array {
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index += 1) numbers[index] = 1 - random.uniform();
  return numbers;
}
