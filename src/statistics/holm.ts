/**
 * p values of several comparisons, adjusted so that the chance of one false finding among all stays at the level that
 * each is held against (Holm 1979): the smallest times the number of comparisons, the next times one fewer, never
 * falling, at most 1. In the order given.
 */
export function holmAdjust(pValues: readonly number[]): number[] {
  if (!pValues.every((p) => p >= 0 && p <= 1)) throw new RangeError(`not p values: ${pValues.join(', ')}`);
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] as number) - (pValues[b] as number));
  const adjusted = new Array<number>(pValues.length);
  let largest = 0;
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (pValues.length - rank) * (pValues[index] as number)));
    adjusted[index] = largest;
  }
  return adjusted;
}

/**
 * Comparisons with their p values so adjusted over all of them; one without a test counts as one that found nothing.
 */
export function correctByHolm<Comparison extends { readonly p: number | null }>(
  comparisons: readonly Comparison[],
): (Comparison & { readonly corrected: number })[] {
  const corrected = holmAdjust(comparisons.map(({ p }) => p ?? 1));
  return comparisons.map((comparison, index) => ({ ...comparison, corrected: corrected[index] as number }));
}
