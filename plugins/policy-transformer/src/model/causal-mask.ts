/**
 * Added to the score of a masked position. Its exp is exactly 0, and a row of only masked positions does not give NaN.
 */
export const MASKED = -1e9;

let last: { readonly key: string; readonly mask: Float32Array } | undefined;

/**
 * [group * width, width] values added to scores: each position sees itself and earlier positions; `group` queries share
 * a key. The last mask is cached; do not write to it.
 */
export function causalMask(width: number, group: number): Float32Array {
  const key = `${width} ${group}`;
  if (last?.key === key) return last.mask;
  const mask = new Float32Array(group * width * width);
  for (let row = 0; row < group * width; row += 1)
    mask.fill(MASKED, row * width + (row % width) + 1, (row + 1) * width);
  last = { key, mask };
  return mask;
}
