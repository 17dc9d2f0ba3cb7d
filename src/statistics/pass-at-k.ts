/**
 * The unbiased estimate of the chance that at least one of `k` attempts at a task succeeds, given `successes` out of
 * `attempts`: 1 - C(attempts - successes, k) / C(attempts, k) (Chen et al. 2021, arXiv 2107.03374, equation 1).
 */
export function passAtK(attempts: number, successes: number, k: number): number {
  if (!(k >= 1 && k <= attempts && successes >= 0 && successes <= attempts)) {
    throw new RangeError(`pass@${k} of ${successes} successes in ${attempts} attempts`);
  }
  let allFail = 1;
  // C(n - c, k) / C(n, k) as a product of ratios below 1, so that nothing overflows; it contains a 0 if fewer than k
  // attempts failed.
  for (let i = 0; i < k; i += 1) allFail *= Math.max(0, attempts - successes - i) / (attempts - i);
  return 1 - allFail;
}
