import { createRandom } from '../../src/random/create-random.js';
import { mutations, type Mutation } from './mutations.js';

/**
 * So many different mutations, in the order of the table: the same ones for the same seed, all of them where there are
 * no more.
 */
export function drawMutations(count: number, seed: number): readonly Mutation[] {
  const chosen = new Set(createRandom(seed).stream('mutations').shuffle(mutations).slice(0, count));
  return mutations.filter((mutation) => chosen.has(mutation));
}
