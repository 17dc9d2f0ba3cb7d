import type { HostArray } from '../operations/tensor.js';
import { firstSeen, MASKED } from './causal-mask.js';
import { windowOf, type DecoderConfig } from './decoder-config.js';
import type { SequencePlace } from './place-rows.js';
import type { TrainingSizes } from './training-graph.js';

/** The sequence of a sampled token, and its position there, at least 1. */
export interface SampledToken {
  readonly sequence: number;
  readonly position: number;
}

/** The most positions of a row that need a query in the last layer: those before its sampled tokens. */
export function mostAsking(slots: readonly SampledToken[], places: readonly SequencePlace[]): number {
  const counts = new Map<number, number>();
  for (const { sequence } of slots) {
    const { row } = places[sequence]!;
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  return Math.max(1, ...counts.values());
}

/**
 * Inputs of a training graph that give the positions of sampled tokens. In the last layer only the positions before
 * sampled tokens have a query. Each row has `asks` queries; the queries beyond its sampled tokens are not used. Slots
 * beyond the list are not used either.
 */
export function askingInputs(
  slots: readonly SampledToken[],
  places: readonly SequencePlace[],
  sizes: TrainingSizes,
  config: DecoderConfig,
): { readonly [name: string]: HostArray } {
  const { rows, width, asks } = sizes;
  const asked = new Int32Array(rows * asks);
  for (let row = 0; row < rows; row += 1) asked.fill(row * width, row * asks, (row + 1) * asks);
  const askedPositions = new Int32Array(rows * asks);
  const starts = new Int32Array(rows * asks);
  const askOfPlace = new Int32Array(rows * width).fill(rows * asks);
  const askOfSlot = new Int32Array(sizes.slots);
  const slotOfAsk = new Int32Array(rows * asks).fill(sizes.slots);
  const used = new Int32Array(rows);
  for (const [slot, { sequence, position }] of slots.entries()) {
    const { row, start } = places[sequence]!;
    const ask = row * asks + used[row]!++;
    const place = row * width + start + position - 1;
    asked[ask] = place;
    askedPositions[ask] = position - 1;
    starts[ask] = start;
    askOfPlace[place] = ask;
    askOfSlot[slot] = ask;
    slotOfAsk[ask] = slot;
  }
  const group = config.heads / config.keyValueHeads;
  const window = windowOf(config, config.layers - 1);
  const askedBias = new Float32Array(rows * group * asks * width).fill(MASKED);
  for (let row = 0; row < rows; row += 1) {
    for (let line = 0; line < group * asks; line += 1) {
      const ask = row * asks + (line % asks);
      const position = askedPositions[ask]!;
      const first = (row * group * asks + line) * width + starts[ask]!;
      askedBias.fill(0, first + firstSeen(position, window), first + position + 1);
    }
  }
  return { asked, askedPositions, askedBias, askOfPlace, askOfSlot, slotOfAsk };
}
