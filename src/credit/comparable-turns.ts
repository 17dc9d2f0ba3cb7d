import type { TrainingBatch } from '../contracts/batch.js';
import type { ComparableTurn } from '../contracts/credit.js';
import { actionTokens } from './action-tokens.js';
import { groupRows } from './group-statistics.js';

/** For each group and each number of a turn, the turns of the members that got so far; see `CreditTools.comparableTurns`. */
export function comparableTurns(batch: TrainingBatch): readonly (readonly ComparableTurn[])[] {
  return groupRows(batch).flatMap((rows) => {
    const byNumber: ComparableTurn[][] = [];
    for (const row of rows) {
      const { indices, turnEnds } = actionTokens(batch, row);
      let start = 0;
      for (const [number, last] of turnEnds.entries()) {
        const end = indices.indexOf(last, start) + 1;
        (byNumber[number] ??= []).push({ row, tokens: indices.slice(start, end) });
        start = end;
      }
    }
    return byNumber;
  });
}
