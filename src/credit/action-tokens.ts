import type { TrainingBatch } from '../contracts/batch.js';
import type { ActionTokens } from '../contracts/credit.js';

/** Rows of each episode, in order: adjacent rows with the same number. */
export function episodeRows({ episode, rows }: Pick<TrainingBatch, 'episode' | 'rows'>): number[][] {
  const episodes: number[][] = [];
  for (let row = 0; row < rows; row += 1) {
    if (row > 0 && episode[row] === episode[row - 1]) episodes.at(-1)?.push(row);
    else episodes.push([row]);
  }
  return episodes;
}

/** See `CreditTools.actionTokens`. A turn ends at the token after which the number of the turn changes. */
export function actionTokens(batch: TrainingBatch): ActionTokens[] {
  const { mask, turn, width } = batch;
  return episodeRows(batch).map((rows) => {
    const indices: number[] = [];
    for (const row of rows) {
      for (let index = row * width; index < (row + 1) * width; index += 1) if (mask[index] === 1) indices.push(index);
    }
    const turnEnds = indices.filter((index, i) => {
      const next = indices[i + 1];
      return next === undefined || turn[next] !== turn[index];
    });
    return { rows, indices, turnEnds };
  });
}

/** [episodes] undiscounted sum of the rewards on sampled tokens. */
export function episodeReturns(batch: TrainingBatch): Float64Array {
  return Float64Array.from(actionTokens(batch), ({ indices }) =>
    indices.reduce((sum, index) => sum + (batch.rewards[index] as number), 0),
  );
}

/** [rows, width] `perEpisode[episode]` on every sampled token, 0 elsewhere. */
export function spreadOverTokens(batch: TrainingBatch, perEpisode: Float64Array): Float64Array {
  const spread = new Float64Array(batch.rows * batch.width);
  for (const [episode, { indices }] of actionTokens(batch).entries()) {
    for (const index of indices) spread[index] = perEpisode[episode] as number;
  }
  return spread;
}

/** Indices of the sampled tokens of each turn of an episode, in order. */
export function turnTokens({ indices, turnEnds }: ActionTokens): readonly (readonly number[])[] {
  let start = 0;
  return turnEnds.map((last) => {
    const turn = indices.slice(start, indices.indexOf(last, start) + 1);
    start += turn.length;
    return turn;
  });
}
