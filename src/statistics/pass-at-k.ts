/**
 * The unbiased estimate of the chance that at least one of `k` attempts at a task succeeds, given `successes` out of
 * `attempts`: 1 - C(attempts - successes, k) / C(attempts, k) (Chen et al. 2021, arXiv 2107.03374, equation 1).
 */
export function passAtK(attempts: number, successes: number, k: number): number {
  if (!(k >= 1 && k <= attempts && successes >= 0 && successes <= attempts)) {
    throw new RangeError(`pass@${k} of ${successes} successes in ${attempts} attempts`);
  }
  return 1 - chanceOfAll(attempts, attempts - successes, k);
}

/**
 * The chance that all of `k` attempts, drawn from `attempts`, are among `alike` of them: C(alike, k) / C(attempts, k). It is a
 * product of ratios below 1, so that nothing overflows, and contains a 0 if fewer than k attempts are alike.
 */
export function chanceOfAll(attempts: number, alike: number, k: number): number {
  let chance = 1;
  for (let i = 0; i < k; i += 1) chance *= Math.max(0, alike - i) / (attempts - i);
  return chance;
}
