import type { Interval } from '../contracts/evaluation.js';
import type { Random } from '../contracts/random.js';
import { clusterBootstrapInterval } from './cluster-bootstrap.js';
import { tInterval } from './t-interval.js';

/**
 * A mean with its 95 % interval: by t if the values are independent, by a bootstrap over clusters if some values share
 * a cluster (episodes of one task, tasks of one level).
 *
 * @param clusters the cluster of each value; absent: independent
 */
export function meanInterval(
  values: readonly number[],
  random: Random,
  clusters?: readonly string[],
): Interval & { readonly mean: number; readonly method: 't' | 'cluster-bootstrap' } {
  if (clusters === undefined || new Set(clusters).size === values.length) {
    return { ...tInterval(values), method: 't' };
  }
  return { ...clusterBootstrapInterval(values, clusters, random), method: 'cluster-bootstrap' };
}
