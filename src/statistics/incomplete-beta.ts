/**
 * Coefficients of Lanczos's approximation of the gamma function for g = 7 (Godfrey 2001); relative error below 1e-14.
 */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Natural logarithm of the gamma function at x >= 0.5. */
export function logGamma(x: number): number {
  const base = x + 6.5;
  const series = LANCZOS.reduce((sum, coefficient, i) => sum + (i === 0 ? coefficient : coefficient / (x - 1 + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series);
}

/**
 * The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method; converges fast for x < (a +
 * 1) / (a + b + 2).
 */
function betaFraction(x: number, a: number, b: number): number {
  const floor = 1e-300;
  const away = (value: number): number => (Math.abs(value) < floor ? floor : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 1000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const numerator of [even, odd]) {
      d = 1 / away(1 + numerator * d);
      c = away(1 + numerator / c);
      step = c * d;
      fraction *= step;
    }
    if (Math.abs(step - 1) < 1e-16) break;
  }
  return fraction;
}

/**
 * The regularised incomplete beta function I_x(a, b), which is the distribution function of the beta distribution (DLMF
 * 8.17).
 *
 * @param x in [0, 1]
 * @param a at least 0.5, as is b
 */
export function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(x, a, b)) / a;
  return 1 - (front * betaFraction(1 - x, b, a)) / b;
}
