// What the members of a group are compared by: their whole returns or, turn by turn, what each earns from that turn on, among the members that got so
// far. Turn by turn it matters where in an episode a reward came.
import type { TrainingBatch } from '../contracts/batch.js';
import type { GroupComparison, GroupMember, GroupNormalization } from '../contracts/credit.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { actionTokens, episodeReturns, turnTokens } from './action-tokens.js';
import { groupRows, meanAndDeviation } from './group-statistics.js';
import { returnsToGo } from './returns-to-go.js';

/** See `CreditTools.groupMembers`. */
export function groupMembers(
  batch: TrainingBatch,
  { level, turnDiscount }: GroupComparison,
): readonly (readonly GroupMember[])[] {
  if (level === 'episode') {
    const returns = episodeReturns(batch);
    return groupRows(batch).map((rows) =>
      rows.map((row) => ({ row, value: returns[row] as number, tokens: actionTokens(batch, row).indices })),
    );
  }
  const returns = returnsToGo(batch, { token: 1, turn: turnDiscount });
  return groupRows(batch).flatMap((rows) => {
    const byNumber: GroupMember[][] = [];
    for (const row of rows) {
      for (const [number, tokens] of turnTokens(batch, row).entries()) {
        (byNumber[number] ??= []).push({ row, value: returns[tokens[0] as number] as number, tokens });
      }
    }
    return byNumber;
  });
}

/** See `CreditTools.comparedValues`. */
export function comparedValues(
  group: readonly CompletedEpisode[],
  { level, turnDiscount }: GroupComparison,
  charge: (episode: CompletedEpisode) => number = () => 0,
): readonly (readonly number[])[] {
  const rewards = group.map((episode) => {
    const { turns } = episode;
    return turns.map(({ reward }, turn) => (turn === turns.length - 1 ? reward - charge(episode) : reward));
  });
  if (level === 'episode') return [rewards.map((row) => row.reduce((sum, reward) => sum + reward, 0))];
  const byNumber: number[][] = [];
  for (const row of rewards) {
    let next = 0;
    for (let turn = row.length - 1; turn >= 0; turn -= 1) {
      next = (row[turn] as number) + turnDiscount * next;
      (byNumber[turn] ??= []).push(next);
    }
  }
  return byNumber;
}

/** See `CreditTools.groupNormalized`. */
export function groupNormalized(batch: TrainingBatch, options: GroupNormalization): Float64Array {
  const { scaling, deviationEpsilon, noSignalBelow } = options;
  const advantages = new Float64Array(batch.rows * batch.width);
  const compared = groupMembers(batch, options);
  const valuesOf = (members: readonly GroupMember[]): number[] => members.map(({ value }) => value);
  // Without the threshold: wherever a group has a deviation, so has the batch.
  const whole = meanAndDeviation(valuesOf(compared.flat())).deviation;
  for (const members of compared) {
    const { mean, deviation } = meanAndDeviation(valuesOf(members), noSignalBelow);
    if (deviation === 0) continue;
    const divisor = scaling === 'none' ? 1 : (scaling === 'group' ? deviation : whole) + deviationEpsilon;
    for (const { value, tokens } of members) {
      for (const index of tokens) advantages[index] = (value - mean) / divisor;
    }
  }
  return advantages;
}
