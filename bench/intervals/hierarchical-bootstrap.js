import { columnShares, pairedDifferences } from '../../dist/statistics/outcome-matrix.js';
import { quantile } from '../../dist/statistics/quantile.js';

/**
 * The mean over seeds and tasks with its 95 % percentile interval by a bootstrap in two stages: seeds are drawn, and
 * for each drawn seed, clusters of tasks are drawn again (Davison and Hinkley 1997, section 3.8). All seeds have equal
 * weight. Within a seed, large clusters weigh more.
 *
 * It assumes that tasks are nested in seeds, and that the n seeds are the whole population. With fewer than about ten
 * seeds, it is too narrow (docs/decisions/intervals.md). With one seed, or one cluster, that side does not vary. With
 * one of both, the interval is infinite.
 *
 * @param outcomes one row per seed, one column per cluster of tasks
 * @param random a separate stream: the interval is a function of the stream and the outcomes
 * @param options weights: the number of tasks in each cluster, default one each; resamples: default 2000
 */
export function hierarchicalBootstrapInterval(outcomes, random, { weights, resamples = 2000 } = {}) {
  const { shares } = columnShares(outcomes, weights);
  const meanOf = (row) => row.reduce((sum, outcome, column) => sum + outcome * shares[column], 0);
  const mean = outcomes.reduce((sum, row) => sum + meanOf(row), 0) / outcomes.length;
  if (outcomes.length * shares.length === 1) return { mean, low: -Infinity, high: Infinity };

  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let total = 0;
    for (let draw = 0; draw < outcomes.length; draw += 1) {
      const row = random.choice(outcomes);
      let sum = 0;
      let weight = 0;
      for (let cluster = 0; cluster < shares.length; cluster += 1) {
        const column = random.integer(0, shares.length);
        const share = shares[column];
        sum += share * row[column];
        weight += share;
      }
      total += sum / weight;
    }
    means[resample] = total / outcomes.length;
  }
  means.sort();
  return { mean, low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

/**
 * The same for the difference `second - first` of two cells on common seeds and tasks: each resample takes the same
 * seeds and tasks of both.
 */
export function hierarchicalBootstrapDifference(first, second, random, options) {
  return hierarchicalBootstrapInterval(pairedDifferences(first, second), random, options);
}
