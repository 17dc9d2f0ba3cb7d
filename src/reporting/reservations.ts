/**
 * Reservations about an interval. `one-seed`: it holds only for other tasks. `two-seeds`: two seeds do not show how
 * much seeds differ. `narrow`: seeds agree better than the sampling of tasks allows, so its coverage is too low.
 */
export type Reservation = 'one-seed' | 'two-seeds' | 'narrow';

/** An interval, or an object that contains one. */
export interface Reservable {
  /** Absent: there is no reservation. */
  readonly reservation?: Reservation;
}

const words: { readonly [Reason in Reservation]: readonly [word: string, sentence: string] } = {
  'one-seed': ['one seed', 'One seed: the interval speaks of other tasks, and says nothing of other seeds.'],
  'two-seeds': [
    'two seeds',
    'Two seeds do not tell how far seeds differ: do not believe the interval before there are three.',
  ],
  narrow: [
    'narrow',
    'Narrow: these seeds agree better than the sampling of tasks allows, so the interval covers too seldom. Run more seeds.',
  ],
};

/** With fewer seeds it is unknown how much seeds differ. */
const fewestSeeds = 3;

/**
 * The reservation about an interval, if any.
 *
 * @param narrow whether its seeds agree better than the sampling of tasks allows
 */
export function reservationOf(seeds: number, narrow: boolean): Reservable {
  if (seeds < fewestSeeds) return { reservation: seeds === 1 ? 'one-seed' : 'two-seeds' };
  return narrow ? { reservation: 'narrow' } : {};
}

/** A mark beside an interval. */
export function reservationWord(reservation: Reservation): string {
  return words[reservation][0];
}

/** The meaning of the mark. */
export function reservationSentence(reservation: Reservation): string {
  return words[reservation][1];
}

/** The meanings of all marks, each once, in a fixed order. */
export function reservationSentences(of: readonly Reservable[]): readonly string[] {
  const there = new Set(of.map(({ reservation }) => reservation));
  return (Object.keys(words) as Reservation[]).filter((reason) => there.has(reason)).map(reservationSentence);
}
