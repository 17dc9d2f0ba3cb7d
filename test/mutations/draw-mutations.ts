import { createRandom } from '../../src/random/create-random.js';
import { mutations, type Mutation } from './mutations.js';

/**
 * Draws `count` different mutations, in the order of the table. The same seed gives the same mutations. Returns the
 * whole table if it has no more.
 */
export function drawMutations(count: number, seed: number): readonly Mutation[] {
  const chosen = new Set(createRandom(seed).stream('mutations').shuffle(mutations).slice(0, count));
  return mutations.filter((mutation) => chosen.has(mutation));
}
