import type { Random } from '../contracts/random.js';

/** Up to so many differences, all 2^n signs are tried. */
const EXACT_UP_TO = 16;

export interface SignFlipTest {
  /** Two-sided: how often random signs give a mean at least as far from 0. */
  readonly p: number;
  /** The smallest p that so many differences can give: with 3 seeds 0.25, so that nothing is ever found. */
  readonly smallest: number;
  /** Whether all signs were tried. */
  readonly exact: boolean;
}

/**
 * The sign-flip test of paired differences, such as those of the seeds of two cells: without an effect each difference
 * is as likely to have the other sign (Fisher 1935, section 21; Ernst 2004). It assumes nothing else, but few seeds
 * have few signs.
 *
 * Above 16 differences signs are drawn, and the observed ones count among them, so that p is valid and never 0 (Phipson
 * and Smyth 2010).
 */
export function signFlipTest(differences: readonly number[], random: Random, draws = 10_000): SignFlipTest {
  const count = differences.length;
  if (count === 0 || !differences.every(Number.isFinite)) throw new RangeError('no differences to test');
  const observed = Math.abs(differences.reduce((sum, difference) => sum + difference, 0));
  // Sums that are equal on paper differ by rounding.
  const tolerance = 1e-12 * differences.reduce((sum, difference) => sum + Math.abs(difference), 0);
  const reaches = (positive: (index: number) => boolean): boolean => {
    const sum = differences.reduce((total, value, index) => total + (positive(index) ? value : -value), 0);
    return Math.abs(sum) >= observed - tolerance;
  };

  let reached = 0;
  if (count <= EXACT_UP_TO) {
    for (let signs = 0; signs < 2 ** count; signs += 1) {
      if (reaches((index) => ((signs >> index) & 1) === 1)) reached += 1;
    }
    return { p: reached / 2 ** count, smallest: 2 / 2 ** count, exact: true };
  }
  for (let draw = 0; draw < draws; draw += 1) {
    if (reaches(() => random.uniform() < 0.5)) reached += 1;
  }
  return { p: (reached + 1) / (draws + 1), smallest: 1 / (draws + 1), exact: false };
}
