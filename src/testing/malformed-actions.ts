import type { Random } from '../contracts/random.js';

/** A text that is not an action, or looks only similar to one. */
export interface MalformedAction {
  readonly text: string;
  /** No environment with a grammar can read it as legal. */
  readonly hopeless: boolean;
}

const strangeWords = [
  ...['', ' ', '\n', '\t \r\n', '\0', '\ufeff', '\u001b[2J', '{"action": null}', "'; --", '\\', '"'],
  ...'[] null undefined __proto__ constructor toString hasOwnProperty ../../../../ $(true) `true` %s%n%x'.split(' '),
  ...['<|im_end|>', '<|endoftext|>', '</s>'],
];

const range = (random: Random, length: number, low: number, high: number): string =>
  Array.from({ length }, () => String.fromCodePoint(random.integer(low, high))).join('');

const makers: readonly ((random: Random, legal: string) => MalformedAction)[] = [
  (random) => ({ text: random.choice(strangeWords), hopeless: true }),
  (random) => ({ text: range(random, random.integer(1, 40), 0, 32), hopeless: true }),
  (random) => ({ text: range(random, random.integer(1, 40), 0x7f, 0xa0), hopeless: true }),
  // Letters and signs of other scripts, without digits, which a lenient reader may accept.
  (random) => ({ text: range(random, random.integer(1, 40), 0x4e00, 0x9fff), hopeless: true }),
  (random) => ({ text: range(random, random.integer(1, 20), 0x1f300, 0x1f600), hopeless: true }),
  (random) => ({ text: `${range(random, 3, 0xd800, 0xdfff)} half a pair`, hopeless: true }),
  (random) => ({ text: `${random.choice(['', '-'])}${'9'.repeat(random.integer(20, 400))}`, hopeless: true }),
  (random) => ({
    text: random.choice(['1e999', '-1e308', 'NaN', 'Infinity', '-Infinity', '0x7fffffffffffffff']),
    hopeless: true,
  }),
  (random, legal) => ({ text: legal.slice(0, random.integer(0, legal.length + 1)), hopeless: false }),
  (random, legal) => ({ text: legal + range(random, 3, 0, 32), hopeless: false }),
  (_, legal) => ({ text: legal.replace(/\d+/gu, '9'.repeat(400)), hopeless: false }),
  (random, legal) => ({ text: legal.repeat(random.integer(2, 50)), hopeless: false }),
  (_, legal) => ({ text: legal.toUpperCase(), hopeless: false }),
  (random, legal) => ({ text: random.shuffle([...legal]).join(''), hopeless: false }),
];

const tenMegabytes = 10 * 1024 * 1024;

/** `count` texts: three of 10 MB, then every kind in turn. `legal` returns a legal action to damage. */
export function* malformedActions(random: Random, count: number, legal: () => string): Generator<MalformedAction> {
  for (let index = 0; index < count; index += 1) {
    if (index === 0) yield { text: 'x'.repeat(tenMegabytes), hopeless: true };
    else if (index === 1) yield { text: ' '.repeat(tenMegabytes), hopeless: true };
    else if (index === 2) yield { text: legal() + ' 1,'.repeat(tenMegabytes / 3), hopeless: false };
    else yield (makers[index % makers.length] as (typeof makers)[number])(random, legal());
  }
}
