/** Number of outputs that are computed together. Weights are stored in panels of this many outputs. */
export const PANEL: i32 = 8;

/**
 * target[r, c] = bias[c] + sum over k of input[r, k] * weight[c, k]; with `accumulate`, this is added to the target.
 * Each sum is separate and runs over k in order, so the bits of a row depend only on that row. `rows` is a multiple of
 * 4, `outputs` of 8.
 * @param panels [inner, 8] for every 8 outputs
 * @param bias [outputs], or 0 for none
 */
export function project(
  target: usize,
  input: usize,
  panels: usize,
  bias: usize,
  rows: i32,
  inner: i32,
  outputs: i32,
  accumulate: bool,
): void {
  const length: usize = (<usize>inner) << 2;
  const stride: usize = (<usize>outputs) << 2;
  for (let column: usize = 0; column < stride; column += <usize>PANEL << 2) {
    let start0 = f32x4.splat(0);
    let start1 = start0;
    if (bias != 0) {
      start0 = v128.load(bias + column);
      start1 = v128.load(bias + column, 16);
    }
    let out = target + column;
    let left = input;
    for (let row = 0; row < rows; row += 4) {
      const second = length;
      const third: usize = length << 1;
      const fourth = third + length;
      const end = left + length;
      let panel = panels;
      let a0 = start0;
      let a1 = start1;
      let b0 = start0;
      let b1 = start1;
      let c0 = start0;
      let c1 = start1;
      let d0 = start0;
      let d1 = start1;
      for (; left < end; left += 4) {
        const w0 = v128.load(panel);
        const w1 = v128.load(panel, 16);
        panel += <usize>PANEL << 2;
        let x = v128.load32_splat(left);
        a0 = f32x4.add(a0, f32x4.mul(x, w0));
        a1 = f32x4.add(a1, f32x4.mul(x, w1));
        x = v128.load32_splat(left + second);
        b0 = f32x4.add(b0, f32x4.mul(x, w0));
        b1 = f32x4.add(b1, f32x4.mul(x, w1));
        x = v128.load32_splat(left + third);
        c0 = f32x4.add(c0, f32x4.mul(x, w0));
        c1 = f32x4.add(c1, f32x4.mul(x, w1));
        x = v128.load32_splat(left + fourth);
        d0 = f32x4.add(d0, f32x4.mul(x, w0));
        d1 = f32x4.add(d1, f32x4.mul(x, w1));
      }
      left += fourth;
      put(out, a0, a1, accumulate);
      put(out + stride, b0, b1, accumulate);
      put(out + (stride << 1), c0, c1, accumulate);
      put(out + (stride << 1) + stride, d0, d1, accumulate);
      out += stride << 2;
    }
    panels += length * <usize>PANEL;
  }
}

// @ts-ignore: decorators of functions are AssemblyScript's
@inline
function put(out: usize, low: v128, high: v128, accumulate: bool): void {
  if (accumulate) {
    low = f32x4.add(v128.load(out), low);
    high = f32x4.add(v128.load(out, 16), high);
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}

/**
 * Copies a matrix [rows, inner] into panels, starting at row `first`, a multiple of 8. Rows that fill up the last panel
 * stay zero.
 */
export function pack(panels: usize, matrix: usize, first: i32, rows: i32, inner: i32): void {
  for (let row = 0; row < rows; row += 1) {
    const at = first + row;
    let out = panels + ((<usize>((at / PANEL) * inner * PANEL + (at % PANEL))) << 2);
    for (let k = 0; k < inner; k += 1) {
      store<f32>(out, load<f32>(matrix));
      matrix += 4;
      out += <usize>PANEL << 2;
    }
  }
}
