/**
 * A quantile of sorted values, linear between order statistics: type 7 of Hyndman and Fan (1996), the default of numpy
 * and R.
 */
export function quantile(sorted: Float64Array, probability: number): number {
  const at = probability * (sorted.length - 1);
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below + (at - Math.floor(at)) * (above - below);
}
