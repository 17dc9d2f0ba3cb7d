import type { NumpyRandom } from '../generate/numpy-random.js';

/** What a symbol may become, with how often it is chosen compared to the others (1). */
type Alternative = string | readonly [weight: number, text: string];

/**
 * A context-free grammar as data: by symbol, its alternatives. In a text, `{symbol}` is expanded in turn, and `<slot>`
 * is filled with a text that is given with the expansion. Symbols must not contain themselves.
 */
export type Rules<Name extends string = string> = Readonly<Record<Name, readonly Alternative[]>>;

/** Texts by the name of their slot. */
export type Slots = Readonly<Record<string, string>>;

type Part = string | { readonly slot: string } | Production;

interface Production {
  readonly texts: (readonly Part[])[];
  /** Sums of the weights up to and with each text. */
  readonly sums: number[];
}

/** A grammar that is ready to be expanded. */
export class SentenceGrammar<Name extends string> {
  private readonly productions = new Map<string, Production>();

  /** Throws an `Error` if a text names a symbol that does not exist. */
  constructor(rules: Rules<Name>) {
    for (const symbol of Object.keys(rules)) this.productions.set(symbol, { texts: [], sums: [] });
    for (const [symbol, alternatives] of Object.entries<readonly Alternative[]>(rules)) {
      const { texts, sums } = this.production(symbol);
      for (const alternative of alternatives) {
        const [weight, text] = typeof alternative === 'string' ? [1, alternative] : alternative;
        texts.push(this.compile(text));
        sums.push((sums.at(-1) ?? 0) + weight);
      }
    }
  }

  /** One of the texts of a symbol. Throws an `Error` if a slot of it is not given. */
  expand(symbol: Name, slots: Slots, random: NumpyRandom): string {
    return expandProduction(this.production(symbol), slots, random);
  }

  private compile(text: string): readonly Part[] {
    return text
      .split(/(\{\w+\}|<\w+>)/)
      .filter((part) => part !== '')
      .map((part) => {
        if (part.startsWith('{')) return this.production(part.slice(1, -1));
        return part.startsWith('<') ? { slot: part.slice(1, -1) } : part;
      });
  }

  private production(symbol: string): Production {
    const production = this.productions.get(symbol);
    if (!production) throw new Error(`The grammar has no symbol "${symbol}"`);
    return production;
  }
}

function expandProduction({ texts, sums }: Production, slots: Slots, random: NumpyRandom): string {
  let index = 0;
  if (texts.length > 1) {
    const drawn = random.integer(0, sums.at(-1) as number);
    while ((sums[index] as number) <= drawn) index++;
  }
  let result = '';
  for (const part of texts[index] as readonly Part[]) {
    if (typeof part === 'string') result += part;
    else if ('slot' in part) result += fill(part.slot, slots);
    else result += expandProduction(part, slots, random);
  }
  return result;
}

function fill(slot: string, slots: Slots): string {
  const text = slots[slot];
  if (text === undefined) throw new Error(`Nothing is given for <${slot}>`);
  return text;
}
