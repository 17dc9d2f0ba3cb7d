import type { Interval } from '../contracts/evaluation.js';
import { betaQuantile } from './incomplete-beta.js';

/**
 * The exact 95 % interval of Clopper and Pearson (1934) for a share: it covers at least that often whatever the share
 * is, and is wider than Wilson's for it. Without trials it is [0, 1].
 */
export function clopperPearsonInterval(successes: number, trials: number): Interval {
  const counts = Number.isInteger(successes) && Number.isInteger(trials);
  if (!(counts && successes >= 0 && successes <= trials)) {
    throw new RangeError(`${successes} successes in ${trials} trials`);
  }
  const failures = trials - successes;
  return {
    low: successes === 0 ? 0 : betaQuantile(0.025, successes, failures + 1),
    high: failures === 0 ? 1 : betaQuantile(0.975, successes + 1, failures),
  };
}
