import type { TrainingBatch } from '@agentgym/cli';

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

/** Splits a share, longest rows first, into micro-batches of similar size, with rows * width up to `tokens`. */
export function cutMicroBatches(batch: TrainingBatch, units: readonly number[][], tokens: number): number[][] {
  const lengths = trainedLengths(batch);
  const width = Math.max(1, ...units.flat().map((row) => lengths[row]!));
  const most = Math.max(1, Math.floor(tokens / (width * (units[0]?.length ?? 1))));
  const count = Math.ceil(units.length / most);
  return Array.from({ length: count }, (_, part) =>
    units.slice(Math.round((part * units.length) / count), Math.round(((part + 1) * units.length) / count)).flat(),
  );
}
