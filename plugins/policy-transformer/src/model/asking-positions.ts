import type { HostArray } from '../operations/tensor.js';
import { firstSeen, MASKED } from './causal-mask.js';
import { windowOf, type DecoderConfig } from './decoder-config.js';
import type { TrainingSizes } from './training-graph.js';

/** The row of a sampled token, and its position in the row, at least 1. */
export interface RowPosition {
  readonly row: number;
  readonly position: number;
}

/** The most positions of a row that need a query in the last layer: those before its sampled tokens. */
export function mostAsking(slots: readonly RowPosition[]): number {
  const counts = new Map<number, number>();
  for (const { row } of slots) counts.set(row, (counts.get(row) ?? 0) + 1);
  return Math.max(1, ...counts.values());
}

/**
 * Inputs of a training graph that give the positions of sampled tokens. In the last layer only the positions before
 * sampled tokens have a query. Each row has `asks` queries; the queries beyond its sampled tokens are not used. Slots
 * beyond the list are not used either.
 */
export function askingInputs(
  slots: readonly RowPosition[],
  sizes: TrainingSizes,
  config: DecoderConfig,
): { readonly [name: string]: HostArray } {
  const { rows, width, asks } = sizes;
  const asked = new Int32Array(rows * asks);
  for (let row = 0; row < rows; row += 1) asked.fill(row * width, row * asks, (row + 1) * asks);
  const askedPositions = new Int32Array(rows * asks);
  const askOfPlace = new Int32Array(rows * width).fill(rows * asks);
  const askOfSlot = new Int32Array(sizes.slots);
  const slotOfAsk = new Int32Array(rows * asks).fill(sizes.slots);
  const used = new Int32Array(rows);
  for (const [slot, { row, position }] of slots.entries()) {
    const ask = row * asks + used[row]!++;
    const place = row * width + position - 1;
    asked[ask] = place;
    askedPositions[ask] = position - 1;
    askOfPlace[place] = ask;
    askOfSlot[slot] = ask;
    slotOfAsk[ask] = slot;
  }
  const group = config.heads / config.keyValueHeads;
  const window = windowOf(config, config.layers - 1);
  const askedBias = new Float32Array(rows * group * asks * width);
  for (let row = 0; row < rows; row += 1) {
    for (let line = 0; line < group * asks; line += 1) {
      const start = (row * group * asks + line) * width;
      const position = askedPositions[row * asks + (line % asks)]!;
      askedBias.fill(MASKED, start + position + 1, start + width);
      askedBias.fill(MASKED, start, start + firstSeen(position, window));
    }
  }
  return { asked, askedPositions, askedBias, askOfPlace, askOfSlot, slotOfAsk };
}
