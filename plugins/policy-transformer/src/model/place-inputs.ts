import type { HostArray } from '../operations/tensor.js';
import { causalMask, maskInput, rowMasks } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';
import type { MaskMemory } from './mask-memory.js';
import type { PlacedSequences } from './place-rows.js';

/**
 * Inputs of a graph that say which sequence a token belongs to: its position there, and what is added to scores.
 * @param rows at least the rows of the placed sequences
 */
export function placeInputs(
  placed: PlacedSequences,
  { rows, blocks }: { readonly rows: number; readonly blocks: number },
  { heads, keyValueHeads, attentionKinds }: DecoderConfig,
  memory: MaskMemory,
): { readonly [name: string]: HostArray } {
  const { paths, width } = placed;
  const positions = new Int32Array(rows * width);
  for (const path of paths) for (const [position, place] of path.entries()) positions[place] = position;
  const group = heads / keyValueHeads;
  const masks = attentionKinds.map(({ window }): [string, Float32Array] => {
    const name = maskInput(window);
    if (blocks > 1) return [name, causalMask(width, group, blocks, window)];
    return [name, rowMasks(placed, group, memory.take(name, rows * group * width * width), window)];
  });
  return { positions, ...Object.fromEntries(masks) };
}
