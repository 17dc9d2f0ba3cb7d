import type { Random } from '../contracts/random.js';
import type { KitCheck } from './conformance-kit.js';
import { firstFound, foundAt } from './findings.js';
import { malformedActions } from './malformed-actions.js';
import { shorten } from './shorten.js';

export interface ReaderSettings {
  /** Number of awkward texts to try. */
  readonly texts?: number;
  /** Maximum seconds to read one text. */
  readonly secondsPerText?: number;
}

/** A reader of a policy's text: an action format or a tool. */
export interface TextReader {
  readonly read: (text: string) => unknown;
  /** What is wrong with how it reads a text. */
  readonly complain: (text: string) => string | undefined;
  /** Texts that it can read. */
  readonly known: readonly string[];
  /** Texts to try before the awkward ones, and pieces of its own syntax. */
  readonly others?: readonly string[];
  readonly pieces?: readonly string[];
}

/** The argument of the checks of a reader. */
export interface ReaderContext {
  readonly reader: TextReader;
  /** Awkward texts, some of them damaged from readable ones. */
  readonly texts: () => Iterable<string>;
  readonly secondsPerText: number;
}

export function readerContext(reader: TextReader, random: Random, settings: ReaderSettings): ReaderContext {
  const { texts = 1_000, secondsPerText = 2 } = settings;
  function* awkward(): Generator<string> {
    yield* reader.others ?? [];
    const stream = random.stream('texts');
    for (const { text } of malformedActions(stream, texts, () => stream.choice(reader.known))) yield text;
  }
  return { reader, texts: awkward, secondsPerText };
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

/**
 * Checks of every reader: a policy may write any text of any length.
 *
 * @param anyText the words of the check that reads awkward texts
 */
export function readerChecks(
  anyText: Pick<KitCheck<ReaderContext>, 'title' | 'cure'>,
): readonly KitCheck<ReaderContext>[] {
  return [
    {
      id: 'any-text',
      ...anyText,
      run: ({ reader, texts }) => firstFound(texts(), (text) => foundAt(shorten(text), () => reader.complain(text))),
    },
    {
      id: 'swift',
      title: 'reading any text is fast',
      cure: 'Search with indexOf, or with patterns that cannot match the same characters in two ways.',
      run: ({ reader: { read, pieces = [] }, secondsPerText }) =>
        firstFound([...repetitive, ...pieces], (piece) => {
          // The length doubles, so that backtracking is found before it takes hours.
          for (let count = 1_000; count * piece.length <= mostCharacters; count *= 2) {
            const start = performance.now();
            read(piece.repeat(count));
            const taken = performance.now() - start;
            if (taken > 1_000 * secondsPerText)
              return `reading ${count} times ${shorten(piece)} took ${Math.round(taken)} ms`;
          }
          return undefined;
        }),
    },
    {
      id: 'repeatable',
      title: 'the same text is read the same way each time',
      cure: 'Keep no state between calls of parse. Do not use the flag g of patterns, or use matchAll.',
      run: ({ reader: { read, known } }) =>
        firstFound(known, (text) => {
          const readings = new Set([1, 2, 3].map(() => JSON.stringify(read(text))));
          return readings.size === 1 ? undefined : `${shorten(text)} is read differently each time`;
        }),
    },
  ];
}
