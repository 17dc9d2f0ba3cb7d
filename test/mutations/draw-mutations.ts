import { createRandom } from '../../src/random/create-random.js';
import { mutations, type Mutation } from './mutations.js';

/**
 * Draws `count` different mutations, in the order of the table, among those of files whose path contains `file`. The
 * same seed gives the same mutations. Returns all of them if there are no more.
 */
export function drawMutations(count: number, seed: number, file = ''): readonly Mutation[] {
  const possible = mutations.filter((mutation) => mutation.file.includes(file));
  const chosen = new Set(createRandom(seed).stream('mutations').shuffle(possible).slice(0, count));
  return mutations.filter((mutation) => chosen.has(mutation));
}
