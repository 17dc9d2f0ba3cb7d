/** A place of an entry: the entry's place in the list, and how many places it had before. */
export interface EntryTurn {
  readonly entry: number;
  readonly turn: number;
}

/**
 * Entries take turns by their weights: after any number of places, each had its share of them, give or take one. Turn k of
 * an entry comes at the time (k + 0.5) / weight; of two at one time, the first in the list comes first.
 */
export function takeTurns(weights: readonly number[], first: number, count: number): readonly EntryTurn[] {
  const timeOf = (entry: number, turn: number): number => (turn + 0.5) / (weights[entry] as number);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  // A time at which surely no more than `first` turns were taken.
  const time = Math.max(0, first - weights.length) / sum;
  const taken = weights.map((weight, entry) => {
    let turns = Math.max(0, Math.floor(weight * time));
    while (timeOf(entry, turns) <= time) turns += 1;
    return turns;
  });
  const turns: EntryTurn[] = [];
  for (let place = taken.reduce((total, own) => total + own, 0); place < first + count; place += 1) {
    let entry = 0;
    for (let other = 1; other < weights.length; other += 1) {
      if (timeOf(other, taken[other] as number) < timeOf(entry, taken[entry] as number)) entry = other;
    }
    const turn = taken[entry] as number;
    taken[entry] = turn + 1;
    if (place >= first) turns.push({ entry, turn });
  }
  return turns;
}
