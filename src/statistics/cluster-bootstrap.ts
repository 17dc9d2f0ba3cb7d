import type { Interval } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { quantile } from './quantile.js';

/**
 * The mean of values that depend on each other within clusters, with its 95 % percentile interval over resampled
 * clusters (Davison and Hinkley 1997, sections 3.8 and 5.3.1). Whole clusters are drawn, and the mean is over their
 * values, so large clusters weigh more. With one cluster, the interval is infinite (null in JSON).
 *
 * @param clusters the cluster of each value
 * @param random a separate stream: the interval is a function of the stream and the values
 */
export function clusterBootstrapInterval(
  values: readonly number[],
  clusters: readonly string[],
  random: Random,
  resamples = 2000,
): Interval & { readonly mean: number } {
  if (values.length !== clusters.length) throw new RangeError(`${values.length} values in ${clusters.length} clusters`);
  const byCluster = new Map<string, { sum: number; count: number }>();
  for (const [i, cluster] of clusters.entries()) {
    const total = byCluster.get(cluster) ?? { sum: 0, count: 0 };
    byCluster.set(cluster, { sum: total.sum + (values[i] as number), count: total.count + 1 });
  }
  const totals = [...byCluster.values()];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (totals.length < 2) return { mean, low: -Infinity, high: Infinity };
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    let count = 0;
    for (let draw = 0; draw < totals.length; draw += 1) {
      const total = totals[random.integer(0, totals.length)] as { sum: number; count: number };
      sum += total.sum;
      count += total.count;
    }
    means[resample] = sum / count;
  }
  means.sort();
  return { mean, low: quantile(means, 0.025), high: quantile(means, 0.975) };
}
