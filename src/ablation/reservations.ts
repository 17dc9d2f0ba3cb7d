import type { Reservation } from './compare-cells.js';

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

/** A mark beside an interval. */
export function reservationWord(reservation: Reservation): string {
  return words[reservation][0];
}

/** What the marks mean, each once, in a fixed order. */
export function reservationSentences(of: readonly { readonly reservation?: Reservation }[]): readonly string[] {
  const there = new Set(of.map(({ reservation }) => reservation));
  return Object.entries(words).flatMap(([reason, [, sentence]]) =>
    there.has(reason as Reservation) ? [sentence] : [],
  );
}
