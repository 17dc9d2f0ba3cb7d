/** target[r] = table[ids[r]], where `table` is [n, width]. */
export function embed(target: usize, table: usize, ids: usize, rows: i32, width: i32): void {
  const bytes: usize = (<usize>width) << 2;
  for (let row = 0; row < rows; row += 1) {
    memory.copy(target, table + <usize>load<i32>(ids) * bytes, bytes);
    target += bytes;
    ids += 4;
  }
}

/**
 * Root mean square norm (Zhang and Sennrich 2019). Each row has `parts` consecutive vectors of `width` numbers. Rows
 * are `inputStride` and `targetStride` bytes apart. `width` is a multiple of 4.
 */
export function normalize(
  target: usize,
  targetStride: usize,
  input: usize,
  inputStride: usize,
  weight: usize,
  rows: i32,
  parts: i32,
  width: i32,
  epsilon: f32,
): void {
  const bytes: usize = (<usize>width) << 2;
  for (let row = 0; row < rows; row += 1) {
    let from = input;
    let to = target;
    for (let part = 0; part < parts; part += 1) {
      let squares = f32x4.splat(0);
      for (let i: usize = 0; i < bytes; i += 16) {
        const x = v128.load(from + i);
        squares = f32x4.add(squares, f32x4.mul(x, x));
      }
      const scale = f32x4.splat(<f32>1 / Mathf.sqrt(total(squares) / <f32>width + epsilon));
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(to + i, f32x4.mul(f32x4.mul(v128.load(from + i), scale), v128.load(weight + i)));
      }
      from += bytes;
      to += bytes;
    }
    input += inputStride;
    target += targetStride;
  }
}

/**
 * target[r, i] = silu(gate[i]) * up[i]. Input rows are [gate, up] of `width` numbers each. `width` is a multiple of 4.
 */
export function gate(target: usize, input: usize, rows: i32, width: i32): void {
  const bytes: usize = (<usize>width) << 2;
  const one = f32x4.splat(1);
  for (let row = 0; row < rows; row += 1) {
    for (let i: usize = 0; i < bytes; i += 16) {
      const x = v128.load(input + i);
      const up = v128.load(input + bytes + i);
      v128.store(target + i, f32x4.div(f32x4.mul(x, up), f32x4.add(one, exponential(f32x4.neg(x)))));
    }
    input += bytes << 1;
    target += bytes;
  }
}

/** The sum of four numbers. */
// @ts-ignore: decorators of functions are AssemblyScript's
@inline
export function total(of4: v128): f32 {
  return (
    f32x4.extract_lane(of4, 0) +
    f32x4.extract_lane(of4, 1) +
    (f32x4.extract_lane(of4, 2) + f32x4.extract_lane(of4, 3))
  );
}

export const LOG2_E: f32 = 1.4426950408889634;
/** log(2) in two parts. The first has so few bits that its multiples are exact. */
const LOG_2_HIGH: f32 = 0.693359375;
const LOG_2_LOW: f32 = -2.12194440054690583e-4;
const LOWEST: f32 = -87.3;
const HIGHEST: f32 = 88.3;
/** Adding this to a number puts the nearest integer into the last bits of the sum. */
const ROUNDING: f32 = 12582912;

/**
 * e^x to two units in the last place, 0 below -87.3, NaN for NaN. It is 2^n times the exponential series of the
 * remainder, which is at most log(2) / 2. (`pmin` and `pmax` are single instructions, `min` and `max` are not.)
 */
// @ts-ignore: decorators of functions are AssemblyScript's
@inline
export function exponential(x: v128): v128 {
  const below = f32x4.lt(x, f32x4.splat(LOWEST));
  x = f32x4.pmin(f32x4.pmax(x, f32x4.splat(LOWEST)), f32x4.splat(HIGHEST));
  const rounded = f32x4.add(f32x4.mul(x, f32x4.splat(LOG2_E)), f32x4.splat(ROUNDING));
  const n = f32x4.sub(rounded, f32x4.splat(ROUNDING));
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(LOG_2_HIGH)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(LOG_2_LOW)));
  let series = f32x4.splat(<f32>(1.0 / 5040.0));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(<f32>(1.0 / 720.0)));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(<f32>(1.0 / 120.0)));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(<f32>(1.0 / 24.0)));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(<f32>(1.0 / 6.0)));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(0.5));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(1));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(1));
  // The bits of 2^n: the shift moves n into the exponent and the other bits of `rounded` out of the word.
  const power = i32x4.add(i32x4.shl(rounded, 23), i32x4.splat(127 << 23));
  return v128.andnot(f32x4.mul(series, power), below);
}

/**
 * 2^x of numbers below 128, to one unit in the last place; NaN for NaN, and 2^-126, the least normal number, below. It
 * is 2^n times a polynomial of the remainder, which is at most 1/2. The coefficients have the least largest relative
 * error of degree 6, 2e-9.
 */
// @ts-ignore: decorators of functions are AssemblyScript's
@inline
export function powerOfTwo(x: v128): v128 {
  x = f32x4.pmax(x, f32x4.splat(-126));
  const rounded = f32x4.add(x, f32x4.splat(ROUNDING));
  const r = f32x4.sub(x, f32x4.sub(rounded, f32x4.splat(ROUNDING)));
  let series = f32x4.splat(1.534581242594868e-4);
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(1.3399930903688073e-3));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(9.618489071726799e-3));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(5.550328642129898e-2));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(0.24022646248340607));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(0.6931471824645996));
  series = f32x4.add(f32x4.mul(series, r), f32x4.splat(1));
  return f32x4.mul(series, i32x4.add(i32x4.shl(rounded, 23), i32x4.splat(127 << 23)));
}
