// Words as a compiled story knows them. Words of a command are looked up once; the parser compares numbers.

/** Bits of what is known about a word. */
export const VerbWord = 1;
export const PrepositionWord = 2;

/** Letters of a dictionary of the Z-machine's version 8; what follows them does not tell words apart. */
const significantLetters = 9;
/** Characters that take two letters: a shift to the third alphabet, and the character. */
const shifted = new Set('0123456789.,!?_#\'"/\\-:()');

/**
 * A word as the dictionary holds it. Two words with the same form are the same word: `rectangular` and `rectangulary`
 * are both `rectangul`. The word must be in lower case.
 */
export function dictionaryForm(word: string): string {
  if (/^[a-z]*$/.test(word)) return word.length > significantLetters ? word.slice(0, significantLetters) : word;
  let letters = 0;
  let form = '';
  for (const character of word) {
    const wanted = character >= 'a' && character <= 'z' ? 1 : shifted.has(character) ? 2 : 4;
    const room = significantLetters - letters;
    // A shift that is cut off from its character looks like the end of the word.
    if (wanted > room) return room < 2 ? form : `${form}\u0001`;
    form += character;
    letters += wanted;
  }
  return form;
}

/** A dictionary; words are numbered from 1, and 0 is a word that it lacks. */
export class Vocabulary {
  private readonly numbers = new Map<string, number>();
  private readonly forms: string[] = [''];
  private readonly bits: number[] = [0];

  /** @param base Words that this dictionary has besides its own. They must not change any more. */
  constructor(private readonly base?: Vocabulary) {}

  /** Enters a word, or adds to what is known about it. */
  add(word: string, bits = 0): number {
    const known = this.find(word);
    if (known === 0) {
      const form = dictionaryForm(word);
      const number = this.first + this.forms.length - 1;
      this.numbers.set(form, number);
      this.forms.push(form);
      this.bits.push(bits);
      return number;
    }
    const own = known - this.first + 1;
    if (own > 0) this.bits[own] = (this.bits[own] as number) | bits;
    return known;
  }

  find(word: string): number {
    const form = dictionaryForm(word);
    return this.base?.numbers.get(form) ?? this.numbers.get(form) ?? 0;
  }

  /** The word as the dictionary holds it, possibly cut. */
  form(word: number): string {
    const own = word - this.first + 1;
    return (own > 0 ? this.forms[own] : this.base?.form(word)) ?? '';
  }

  has(word: number, bit: number): boolean {
    const own = word - this.first + 1;
    if (own <= 0) return this.base?.has(word, bit) ?? false;
    return ((this.bits[own] ?? 0) & bit) !== 0;
  }

  /** The number of the first word of its own. */
  private get first(): number {
    return this.base ? this.base.forms.length : 1;
  }
}
