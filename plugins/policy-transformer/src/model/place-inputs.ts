import type { HostArray } from '../operations/tensor.js';
import { causalMask, maskInput, rowMasks, type SequenceLayout } from './causal-mask.js';
import type { DecoderConfig } from './decoder-config.js';

/** Inputs of a graph that say which sequence a token belongs to: its position there, and what is added to scores. */
export function placeInputs(
  layout: SequenceLayout,
  blocks: number,
  { heads, keyValueHeads, attentionKinds }: DecoderConfig,
): { readonly [name: string]: HostArray } {
  const { places, lengths, rows, width } = layout;
  const positions = new Int32Array(rows * width);
  for (const [sequence, { row, start }] of places.entries()) {
    const first = row * width + start;
    for (let position = 0; position < lengths[sequence]!; position += 1) positions[first + position] = position;
  }
  const group = heads / keyValueHeads;
  const masks = attentionKinds.map(({ window }): [string, Float32Array] => [
    maskInput(window),
    blocks === 1 ? rowMasks(layout, group, window) : causalMask(width, group, blocks, window),
  ]);
  return { positions, ...Object.fromEntries(masks) };
}
