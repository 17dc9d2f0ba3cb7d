import type { PlacedSequences } from './place-rows.js';

/**
 * Added to the score of a masked position. Its exp is exactly 0, and a row of only masked positions does not give NaN.
 */
export const MASKED = -1e9;

/** The last mask of each window. */
const last = new Map<number | undefined, { readonly key: string; readonly mask: Float32Array }>();

/**
 * [group * width / blocks, width] values added to the scores of the last of `blocks` blocks of queries: each position
 * sees itself and earlier positions, with a window only the last `window` of them; `group` queries share a key. The
 * last columns are the mask of an earlier block, which has fewer keys. The last mask of a window is cached; do not
 * write to it.
 */
export function causalMask(width: number, group: number, blocks = 1, window?: number): Float32Array {
  const key = `${width} ${group} ${blocks}`;
  const known = last.get(window);
  if (known?.key === key) return known.mask;
  const queries = width / blocks;
  const mask = new Float32Array(group * queries * width);
  for (let row = 0; row < group * queries; row += 1) {
    const next = width - queries + (row % queries) + 1;
    mask.fill(MASKED, row * width + next, (row + 1) * width);
    mask.fill(MASKED, row * width, row * width + firstSeen(next - 1, window));
  }
  last.set(window, { key, mask });
  return mask;
}

/**
 * [rows, 1, group * width, width] values added to the scores of rows that hold several sequences: each position sees
 * itself and earlier positions of its sequence, with a window only the last `window` of them. Places without a token see
 * nothing. `group` queries share a key.
 * @param mask as many values, all masked; there may be more rows than placed sequences take
 */
export function rowMasks(
  { paths, shared, width }: PlacedSequences,
  group: number,
  mask: Float32Array,
  window?: number,
): Float32Array {
  for (const [sequence, path] of paths.entries()) {
    for (let position = shared[sequence]!; position < path.length; position += 1) {
      const place = path[position]!;
      const row = Math.floor(place / width);
      for (let query = 0; query < group; query += 1) {
        const line = (row * group + query) * width + (place % width);
        showPath(mask, line * width, path, { from: firstSeen(position, window), to: position, width });
      }
    }
  }
  return mask;
}

/** Unmasks the places of a path from one position to another, both included, in the line that starts at `first`. */
export function showPath(
  mask: Float32Array,
  first: number,
  path: Int32Array,
  { from, to, width }: { readonly from: number; readonly to: number; readonly width: number },
): void {
  const [start, end] = [path[from]! % width, path[to]! % width];
  // Columns grow along a path, so these are all in between.
  if (end - start === to - from) mask.fill(0, first + start, first + end + 1);
  else for (let position = from; position <= to; position += 1) mask[first + (path[position]! % width)] = 0;
}

/** The first position that a query sees. */
export function firstSeen(position: number, window = Infinity): number {
  return Math.max(0, position + 1 - window);
}

/** The name of the input of a graph that is the causal mask of a window. */
export function maskInput(window: number | undefined): string {
  return window === undefined ? 'bias' : `bias.${window}`;
}

/** Smallest width of a block of queries: its scores stay in a core's cache, and its products are still large. */
export const BLOCK = 128;

/** More blocks save little, and each makes a session longer to compile. */
const MOST_BLOCKS = 32;

/**
 * Number of blocks of queries for a width. A block has no scores for keys after its end, so almost half of all scores
 * are never computed. A power of two, so that a few sessions serve all widths.
 */
export function queryBlocks(width: number): number {
  return Math.min(MOST_BLOCKS, 2 ** Math.max(0, Math.floor(Math.log2(width / BLOCK))));
}
