import type { Random } from '../contracts/random.js';

/**
 * A resample of scores, one row a run and one column a task, in which each task has as many runs as before, drawn from
 * its own (the stratified bootstrap of Agarwal et al. 2021, arXiv 2108.13264, section 4.1). Tasks stay: what it says
 * holds for these tasks.
 */
export function resampleRuns(scores: readonly (readonly number[])[], random: Random): number[][] {
  return scores.map((row) => row.map((_, task) => random.choice(scores)[task] as number));
}
