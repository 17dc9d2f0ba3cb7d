/**
 * The chance that a draw of the standard normal distribution lies below x, by its series (Marsaglia 2004, Journal of
 * Statistical Software 11); absolute error below 1e-15.
 */
export function normalBelow(x: number): number {
  if (Math.abs(x) > 9) return x < 0 ? 0 : 1;
  let term = x;
  let sum = x;
  for (let i = 3; sum !== sum + term; i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * Math.exp(-0.5 * x * x - 0.5 * Math.log(2 * Math.PI));
}
