import type { TrainingBatch } from '../contracts/batch.js';
import type { ActionTokens } from '../contracts/credit.js';

/** Sampled tokens of a row, and where its turns end: the token after which the number of the turn changes. */
export function actionTokens(batch: TrainingBatch, row: number): ActionTokens {
  const indices: number[] = [];
  for (let index = row * batch.width; index < (row + 1) * batch.width; index += 1) {
    if (batch.mask[index] === 1) indices.push(index);
  }
  const turnEnds = indices.filter((index, i) => {
    const next = indices[i + 1];
    return next === undefined || batch.turn[next] !== batch.turn[index];
  });
  return { indices, turnEnds };
}

/** [rows] undiscounted sum of the rewards on sampled tokens. */
export function episodeReturns(batch: TrainingBatch): Float64Array {
  return Float64Array.from({ length: batch.rows }, (_, row) =>
    actionTokens(batch, row).indices.reduce((sum, index) => sum + (batch.rewards[index] as number), 0),
  );
}

/** [rows, width] `perRow[row]` on every sampled token, 0 elsewhere. */
export function spreadOverTokens(batch: TrainingBatch, perRow: Float64Array): Float64Array {
  const spread = new Float64Array(batch.rows * batch.width);
  for (let row = 0; row < batch.rows; row += 1) {
    for (const index of actionTokens(batch, row).indices) spread[index] = perRow[row] as number;
  }
  return spread;
}

/** Indices of the sampled tokens of each turn of a row, in order. */
export function turnTokens(batch: TrainingBatch, row: number): readonly (readonly number[])[] {
  const { indices, turnEnds } = actionTokens(batch, row);
  let start = 0;
  return turnEnds.map((last) => {
    const turn = indices.slice(start, indices.indexOf(last, start) + 1);
    start += turn.length;
    return turn;
  });
}
