import type { TrainingBatch } from '@agentgym/cli';

import { queryBlocks } from '../model/causal-mask.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { layOut } from '../model/pack-rows.js';
import { orderByPrefix } from '../model/prefix-order.js';
import type { LossUnit } from './loss-key.js';

/**
 * Some rows of a batch, in this order, as a batch. Every array is a column with a fixed count of numbers per row, so no
 * column can be forgotten.
 */
export function takeRows(batch: TrainingBatch, rows: readonly number[]): TrainingBatch {
  const part = Object.entries(batch).map(([name, column]: [string, TrainingBatch[keyof TrainingBatch]]) => {
    if (typeof column !== 'object') return [name, column];
    const stride = batch.rows === 0 ? 0 : column.length / batch.rows;
    const taken = column.slice(0, rows.length * stride);
    rows.forEach((row, place) => taken.set(column.subarray(row * stride, (row + 1) * stride), place * stride));
    return [name, taken];
  });
  return { ...(Object.fromEntries(part) as TrainingBatch), rows: rows.length };
}

/** For each row, the number of tokens that training needs: up to the last sampled one, 0 if none was sampled. */
function trainedLengths({ rows, width, mask }: TrainingBatch): number[] {
  return Array.from({ length: rows }, (_, row) => mask.subarray(row * width, (row + 1) * width).lastIndexOf(1) + 1);
}

/**
 * Rows in units that must stay together, longest first, without units in which no token was sampled. Depends only on the
 * batch.
 */
export function trainedUnits(batch: TrainingBatch, kind: LossUnit): number[][] {
  const lengths = trainedLengths(batch);
  const longest = (unit: readonly number[]) => Math.max(...unit.map((row) => lengths[row]!));
  return unitsOf(batch, kind)
    .filter((unit) => longest(unit) > 0)
    .sort((a, b) => longest(b) - longest(a) || a[0]! - b[0]!);
}

/** Rows in units, in order. The rows of an episode are adjacent, and so are the episodes of a pair. */
export function unitsOf({ episode, rows }: TrainingBatch, kind: LossUnit): number[][] {
  const units: number[][] = [];
  let episodes = 0;
  for (let row = 0; row < rows; row += 1) {
    const continues = row > 0 && episode[row] === episode[row - 1];
    if (!continues) episodes += 1;
    if (row > 0 && kind !== 'row' && (continues || (kind === 'pair' && episodes % 2 === 0))) units.at(-1)!.push(row);
    else units.push([row]);
  }
  return units;
}

/** Units in an order, and how many tokens each adds to those before it. */
interface Arrangement {
  readonly units: readonly number[][];
  readonly sizes: readonly number[];
  /** Neighbours begin alike. Otherwise they have similar lengths. */
  readonly shared: boolean;
}

/** Less is not worth mixing lengths. */
const LEAST_SHARED = 0.1;

/**
 * Units in the order of their tokens, so that those that begin alike stay together, if that saves tokens: see `layOut`.
 * Otherwise as they are, longest first.
 *
 * @param sharesLong whether long sequences, too, can share their beginnings
 */
function arrange(batch: TrainingBatch, units: readonly number[][], sharesLong = false): Arrangement {
  const lengths = trainedLengths(batch);
  const sizes = units.map((unit) => sum(unit.map((row) => lengths[row]!)));
  const apart = { units, sizes, shared: false };
  if (units.length < 2 || (!sharesLong && queryBlocks(Math.max(...lengths)) > 1)) return apart;
  const firsts = units.map(([row]) => batch.tokens.subarray(row! * batch.width, row! * batch.width + lengths[row!]!));
  const { order, common } = orderByPrefix(firsts);
  if (sum(common) < LEAST_SHARED * sum(sizes)) return apart;
  // A unit that adds no token still takes a place, so that more parts mean smaller ones.
  const added = order.map((index) => Math.max(1, sizes[index]! - common[index]!));
  return { units: order.map((index) => units[index]!), sizes: added, shared: true };
}

/** Distributes units, so that shares have similar sizes and, unless neighbours begin alike, similar lengths. */
export function dealUnits(batch: TrainingBatch, all: readonly number[][], shares: number): number[][][] {
  const { units, sizes, shared } = arrange(batch, all);
  if (!shared)
    return Array.from({ length: shares }, (_, share) => units.filter((__, index) => index % shares === share));
  const parts = cutEvenly(units, sizes, sum(sizes) / shares);
  return Array.from({ length: shares }, (_, share) => parts[share] ?? []);
}

/**
 * Splits a share into micro-batches with up to `tokens` different tokens: those of a beginning that several sequences
 * have count once. Attention pads rows to equal length, so rows * width stays below twice as many where sequences do not
 * share their beginnings.
 */
export function cutByTokens(batch: TrainingBatch, all: readonly number[][], tokens: number): number[][] {
  const { units, sizes, shared } = arrange(batch, all, true);
  const lengths = trainedLengths(batch);
  const cuts: number[][] = [];
  let [used, width] = [Infinity, 0];
  for (const [index, unit] of units.entries()) {
    const rows = (cuts.at(-1)?.length ?? 0) + unit.length;
    if (used + sizes[index]! > tokens || (!shared && rows * width > 2 * tokens)) {
      cuts.push([]);
      used = 0;
      width = Math.max(...unit.map((row) => lengths[row]!));
    }
    // The first of a micro-batch brings its beginning.
    used += cuts.at(-1)!.length === 0 ? sum(unit.map((row) => lengths[row]!)) : sizes[index]!;
    cuts.at(-1)!.push(...unit);
  }
  return cuts;
}

/**
 * Splits a share into micro-batches of similar size. Each has one unit or, where sequences share rows (see `layOut`),
 * rows * width up to `tokens`.
 */
export function cutMicroBatches(
  batch: TrainingBatch,
  all: readonly number[][],
  config: DecoderConfig,
  tokens: number,
): number[][] {
  const { units, sizes } = arrange(batch, all);
  const lengths = trainedLengths(batch);
  const sequenceOf = (row: number) => batch.tokens.subarray(row * batch.width, row * batch.width + lengths[row]!);
  const fits = (part: readonly number[][]): boolean => {
    if (part.length === 1) return true;
    const { rows, width } = layOut(part.flat().map(sequenceOf), config);
    return rows * width <= tokens;
  };
  const total = sum(sizes);
  for (let count = Math.max(1, Math.ceil(total / tokens)); ; count += Math.ceil(count / 16)) {
    const parts = cutEvenly(units, sizes, total / count);
    if (parts.every(fits)) return parts.map((part) => part.flat());
  }
}

/** Cuts a list into parts of about this size. No part is empty. */
function cutEvenly<Item>(items: readonly Item[], sizes: readonly number[], size: number): Item[][] {
  const parts: Item[][] = [];
  let [before, current] = [0, -1];
  for (const [index, item] of items.entries()) {
    const part = Math.floor((before + sizes[index]! / 2) / size);
    if (part !== current) parts.push([]);
    parts.at(-1)!.push(item);
    before += sizes[index]!;
    current = part;
  }
  return parts;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
