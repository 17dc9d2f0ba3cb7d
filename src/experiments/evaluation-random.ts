import type { Recipe } from '../config/recipe-schema.js';
import type { Random } from '../contracts/random.js';
import { createRandom } from '../random/create-random.js';

/**
 * The random stream of evaluations. With a separate seed (`evaluation.seed`), runs with different seeds are evaluated
 * on the same tasks in the same worlds.
 *
 * @param random the run's root stream
 */
export function evaluationRandom({ evaluation: { seed } }: Recipe, random: Random): Random {
  return (seed === undefined ? random : createRandom(seed)).stream('evaluation');
}
