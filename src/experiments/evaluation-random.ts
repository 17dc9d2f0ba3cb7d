import type { Recipe } from '../config/recipe-schema.js';
import type { Random } from '../contracts/random.js';
import { createRandom } from '../random/create-random.js';

/**
 * The stream of everything that evaluations draw. With a seed of its own (`evaluation.seed`) runs of several seeds are
 * held against the same tasks in the same worlds.
 *
 * @param random the run's root stream
 */
export function evaluationRandom({ evaluation: { seed } }: Recipe, random: Random): Random {
  return (seed === undefined ? random : createRandom(seed)).stream('evaluation');
}
