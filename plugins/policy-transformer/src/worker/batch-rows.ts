import type { TrainingBatch } from '@agentgym/cli';

import { layOut } from '../model/pack-rows.js';

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
 * Rows in units that must stay together (one row, or two if rows are compared in pairs), longest first, without rows in
 * which no token was sampled. Depends only on the batch.
 */
export function trainedUnits(batch: TrainingBatch, size: 1 | 2): number[][] {
  const lengths = trainedLengths(batch);
  const longest = (unit: readonly number[]) => Math.max(...unit.map((row) => lengths[row]!));
  return Array.from({ length: Math.ceil(batch.rows / size) }, (_, unit) =>
    Array.from({ length: size }, (__, member) => unit * size + member).filter((row) => row < batch.rows),
  )
    .filter((unit) => longest(unit) > 0)
    .sort((a, b) => longest(b) - longest(a) || a[0]! - b[0]!);
}

/** Distributes units, so that shares have similar sizes and lengths. */
export function dealUnits(units: readonly number[][], shares: number): number[][][] {
  return Array.from({ length: shares }, (_, share) => units.filter((__, index) => index % shares === share));
}

/**
 * Splits a share, longest rows first, into micro-batches with up to `tokens` tokens. Attention pads rows to equal length,
 * so rows * width stays below twice as many.
 */
export function cutByTokens(batch: TrainingBatch, units: readonly number[][], tokens: number): number[][] {
  const lengths = trainedLengths(batch);
  const cuts: number[][] = [];
  let [used, width] = [Infinity, 0];
  for (const unit of units) {
    const count = unit.reduce((sum, row) => sum + lengths[row]!, 0);
    const rows = (cuts.at(-1)?.length ?? 0) + unit.length;
    if (used + count > tokens || rows * width > 2 * tokens) {
      cuts.push([]);
      used = 0;
      width = Math.max(...unit.map((row) => lengths[row]!));
    }
    cuts.at(-1)!.push(...unit);
    used += count;
  }
  return cuts;
}

/**
 * Splits a share, longest rows first, into micro-batches of similar size. Each has one unit or, where sequences share rows
 * (see `layOut`), rows * width up to `tokens`.
 */
export function cutMicroBatches(batch: TrainingBatch, units: readonly number[][], tokens: number): number[][] {
  const lengths = trainedLengths(batch);
  const lengthsOf = (unit: readonly number[]) => unit.map((row) => lengths[row]!);
  const sizeOf = (unit: readonly number[]) => lengthsOf(unit).reduce((sum, length) => sum + length, 0);
  const total = sizeOf(units.flat());
  const fits = (part: readonly number[][]): boolean => {
    const ofPart = lengthsOf(part.flat());
    const longest = Math.max(...ofPart);
    return part.length === 1 || layOut(ofPart, longest).rows * longest <= tokens;
  };
  for (let count = Math.max(1, Math.ceil(total / tokens)); ; count += 1) {
    const parts = cutEvenly(units, sizeOf, total / count);
    if (parts.every(fits)) return parts.map((part) => part.flat());
  }
}

/** Cuts a list into parts of about this size. No part is empty. */
function cutEvenly<Item>(items: readonly Item[], sizeOf: (item: Item) => number, size: number): Item[][] {
  const parts: Item[][] = [];
  let [before, current] = [0, -1];
  for (const item of items) {
    const part = Math.floor((before + sizeOf(item) / 2) / size);
    if (part !== current) parts.push([]);
    parts.at(-1)!.push(item);
    before += sizeOf(item);
    current = part;
  }
  return parts;
}
