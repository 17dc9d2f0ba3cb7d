/**
 * Reservations about an interval. `one-seed`: it holds for other tasks only. `two-seeds`: two seeds are too few to show
 * how much seeds differ. `narrow`: the seeds differ less than the sampling of tasks alone would make them differ, so
 * fewer than 95 % of such intervals cover the true value.
 */
export type Reservation = 'one-seed' | 'two-seeds' | 'narrow';

/** An interval, or an object with one. */
export interface Reservable {
  /** Absent: nothing is known against the interval. */
  readonly reservation?: Reservation;
}

const words: { readonly [Reason in Reservation]: readonly [word: string, sentence: string] } = {
  'one-seed': ['one seed', 'One seed: the interval covers other tasks only, not other seeds.'],
  'two-seeds': ['two seeds', 'Two seeds: they are too few to show how much seeds differ. Run at least three.'],
  narrow: [
    'narrow',
    'Narrow: the seeds differ less than the sampling of tasks alone would make them differ, so the interval is probably too narrow. Run more seeds.',
  ],
};

/** Fewer seeds do not show how much seeds differ. */
const fewestSeeds = 3;

/**
 * The reservation about an interval.
 *
 * @param narrow whether its seeds differ less than the sampling of tasks alone would make them differ
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

/** The meanings of the marks, each once, in a fixed order. */
export function reservationSentences(of: readonly Reservable[]): readonly string[] {
  const present = new Set(of.map(({ reservation }) => reservation));
  return (Object.keys(words) as Reservation[]).filter((reason) => present.has(reason)).map(reservationSentence);
}
