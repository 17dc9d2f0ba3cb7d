/**
 * Adjusts the p values of several comparisons, so that the chance of one false finding among all stays at the level of
 * each test (Holm 1979). The smallest is multiplied by the number of comparisons, the next by one fewer, and so on.
 * Adjusted values never fall, and are at most 1. The order stays the same.
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

/** Adds to each comparison its p value, adjusted over all of them. A comparison without a test counts as p = 1. */
export function correctByHolm<Comparison extends { readonly p: number | null }>(
  comparisons: readonly Comparison[],
): (Comparison & { readonly corrected: number })[] {
  const corrected = holmAdjust(comparisons.map(({ p }) => p ?? 1));
  return comparisons.map((comparison, index) => ({ ...comparison, corrected: corrected[index] as number }));
}
