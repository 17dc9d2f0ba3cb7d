import type { KitCheck } from './conformance-kit.js';
import { shorten } from './shorten.js';

/** A reader of a policy's text: an action format or a tool. */
interface TextReader {
  readonly read: (text: string) => unknown;
  /** Texts that it can read. */
  readonly known: readonly string[];
  /** Pieces of its own syntax, in addition to those of others. */
  readonly pieces: readonly string[];
  readonly milliseconds: number;
}

/** Texts that are slow in regular expressions with nested repetition. */
const repetitive = [
  '<',
  '</',
  '<action>',
  '</action>',
  '{',
  '[[',
  '(',
  '\\boxed{',
  'a ',
  '"',
  '```',
  'Action:',
  '\n\n',
];

const mostCharacters = 1_000_000;

/** Checks of every reader: a policy may write any text of any length. */
export function readerChecks<Context>(readerOf: (context: Context) => TextReader): readonly KitCheck<Context>[] {
  return [
    {
      id: 'swift',
      title: 'reading any text is fast',
      severity: 'error',
      likelyCause: 'a regular expression backtracks: nested or adjacent repetitions that match the same characters',
      why: 'One long text would delay every episode of the process.',
      cure: 'Search with indexOf, or with patterns that cannot match the same characters in two ways.',
      run: (context) => {
        const { read, pieces, milliseconds } = readerOf(context);
        for (const piece of [...repetitive, ...pieces]) {
          // The length doubles, so that backtracking is found before it takes hours.
          for (let count = 1_000; count * piece.length <= mostCharacters; count *= 2) {
            const start = performance.now();
            read(piece.repeat(count));
            const taken = performance.now() - start;
            if (taken > milliseconds) return [`reading ${count} times ${shorten(piece)} took ${Math.round(taken)} ms`];
          }
        }
        return [];
      },
    },
    {
      id: 'repeatable',
      title: 'the same text is read the same way each time',
      severity: 'error',
      likelyCause: 'state is kept between calls, such as lastIndex of a regular expression with the flag g',
      why: 'The same text would mean different actions in different episodes.',
      cure: 'Keep no state between calls of parse. Do not use the flag g, or use matchAll.',
      run: (context) => {
        const { read, known } = readerOf(context);
        return known.flatMap((text) => {
          const [first, ...others] = [1, 2, 3].map(() => JSON.stringify(read(text)));
          return others.every((other) => other === first) ? [] : [`${shorten(text)} is read differently each time`];
        });
      },
    },
  ];
}
