import type { HostArray } from '../operations/tensor.js';
import { firstSeen, showPath } from './causal-mask.js';
import { windowOf, type DecoderConfig } from './decoder-config.js';
import type { MaskMemory } from './mask-memory.js';
import type { PlacedSequences } from './place-rows.js';
import type { TrainingSizes } from './training-graph.js';

/** The sequence of a sampled token, and its position there, at least 1. */
export interface SampledToken {
  readonly sequence: number;
  readonly position: number;
}

/** The positions that predict sampled tokens. One position predicts the tokens of all sequences that begin alike. */
export interface AskingPositions {
  /** One for each distinct place, in the order of the first slot that it predicts. */
  readonly points: readonly SampledToken[];
  /** For each slot, the index of its point. */
  readonly pointOfSlot: Int32Array;
  /** The most points of a row, at least 1. */
  readonly most: number;
}

export function askingPositions(slots: readonly SampledToken[], { paths, width }: PlacedSequences): AskingPositions {
  const known = new Map<number, number>();
  const counts = new Map<number, number>();
  const points: SampledToken[] = [];
  const pointOfSlot = Int32Array.from(slots, (slot) => {
    const place = paths[slot.sequence]![slot.position - 1]!;
    const found = known.get(place);
    if (found !== undefined) return found;
    known.set(place, points.length);
    const row = Math.floor(place / width);
    counts.set(row, (counts.get(row) ?? 0) + 1);
    return points.push(slot) - 1;
  });
  return { points, pointOfSlot, most: Math.max(1, ...counts.values()) };
}

/**
 * Inputs of a training graph that give the positions of sampled tokens. In the last layer only the positions before
 * sampled tokens have a query. Each row has `asks` queries; the queries beyond its points are not used. Points beyond
 * the list are not used either.
 */
export function askingInputs(
  points: readonly SampledToken[],
  { paths }: PlacedSequences,
  sizes: TrainingSizes,
  config: DecoderConfig,
  memory: MaskMemory,
): { readonly [name: string]: HostArray } {
  const { rows, width, asks } = sizes;
  const group = config.heads / config.keyValueHeads;
  const window = windowOf(config, config.layers - 1);
  const asked = new Int32Array(rows * asks);
  for (let row = 0; row < rows; row += 1) asked.fill(row * width, row * asks, (row + 1) * asks);
  const askedPositions = new Int32Array(rows * asks);
  const askedBias = memory.take('askedBias', rows * group * asks * width);
  const askOfPlace = new Int32Array(rows * width).fill(rows * asks);
  const askOfPoint = new Int32Array(sizes.points);
  const pointOfAsk = new Int32Array(rows * asks).fill(sizes.points);
  const used = new Int32Array(rows);
  for (const [point, { sequence, position }] of points.entries()) {
    const path = paths[sequence]!;
    const last = position - 1;
    const place = path[last]!;
    const row = Math.floor(place / width);
    const ask = used[row]!++;
    asked[row * asks + ask] = place;
    askedPositions[row * asks + ask] = last;
    askOfPlace[place] = row * asks + ask;
    askOfPoint[point] = row * asks + ask;
    pointOfAsk[row * asks + ask] = point;
    for (let query = 0; query < group; query += 1) {
      const line = (row * group + query) * asks + ask;
      showPath(askedBias, line * width, path, { from: firstSeen(last, window), to: last, width });
    }
  }
  return { asked, askedPositions, askedBias, askOfPlace, askOfPoint, pointOfAsk };
}
