// The members of a group and the compared quantity: whole returns or, turn by turn, the rewards from that turn on,
// among the members that reached it. Turn by turn, the time of a reward in an episode matters.
import type { TrainingBatch } from '../contracts/batch.js';
import type { FlatGroupOptions, GroupComparison, GroupMember, GroupNormalization } from '../contracts/credit.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import { actionTokens, episodeReturns, turnTokens } from './action-tokens.js';
import { returnsToGo } from './returns-to-go.js';

/** Rows of each group, in order of first appearance. */
export function groupRows(batch: TrainingBatch): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>();
  batch.group.forEach((group, row) => {
    const rows = groups.get(group);
    if (rows === undefined) groups.set(group, [row]);
    else rows.push(row);
  });
  return [...groups.values()];
}

/**
 * Mean and standard deviation with n - 1, in two passes; see `CreditTools.meanAndDeviation`. Without values, the mean
 * is 0.
 */
export function meanAndDeviation(
  values: readonly number[],
  noSignalBelow = 0,
): { readonly mean: number; readonly deviation: number } {
  if (values.length === 0) return { mean: 0, deviation: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length === 1) return { mean, deviation: 0 };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (values.length - 1));
  return { mean, deviation: deviation <= noSignalBelow ? 0 : deviation };
}

/**
 * Each value minus the mean of the others (Kool et al. 2019; Ahmadian et al. 2024, arXiv 2402.14740): R - (n mean - R)
 * / (n - 1). A single value does not change. If the deviation is not above `noSignalBelow`, all are 0: mathematically
 * equal sums count as equal.
 */
export function leaveOneOut(values: readonly number[], noSignalBelow = 0): readonly number[] {
  if (values.length === 1) return values;
  const { mean, deviation } = meanAndDeviation(values, noSignalBelow);
  return values.map((value) => (deviation === 0 ? 0 : ((value - mean) * values.length) / (values.length - 1)));
}

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
  // No threshold is needed: if a group has a deviation, the batch has one too.
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

/** See `CreditTools.dropsFlatGroups`. */
export function dropsFlatGroups({ dropFlatGroups, klCoefficient, klIn }: FlatGroupOptions): boolean {
  return dropFlatGroups && !(klCoefficient > 0 && klIn === 'reward');
}
