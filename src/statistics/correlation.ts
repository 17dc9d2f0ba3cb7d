import { mean } from './mean.js';

/** Pearson's correlation of pairs. Undefined if one side has no variance, or for fewer than two pairs. */
export function correlation(pairs: readonly (readonly [number, number])[]): number | undefined {
  const [left, right] = [mean(pairs.map(([one]) => one)), mean(pairs.map(([, other]) => other))];
  let [product, ofLeft, ofRight] = [0, 0, 0];
  for (const [one, other] of pairs) {
    product += (one - left) * (other - right);
    ofLeft += (one - left) ** 2;
    ofRight += (other - right) ** 2;
  }
  return ofLeft > 0 && ofRight > 0 ? product / Math.sqrt(ofLeft * ofRight) : undefined;
}
