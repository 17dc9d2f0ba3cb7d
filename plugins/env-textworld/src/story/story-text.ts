/** Tables of a story that its texts are written with. */
export interface TextTables {
  /** Codes of ZSCII by alphabet and place. */
  readonly alphabets: readonly ArrayLike<number>[];
  /** Characters by code of ZSCII. */
  readonly unicode_table: { readonly [code: number]: string };
  /** Address of the table of abbreviations. */
  readonly abbr_addr: number;
}

/** A decoded text. */
export interface DecodedText {
  readonly text: string;
  /** Address after the last word of the text. */
  readonly end: number;
  /** Whether the text has abbreviations. They may change during play. */
  readonly abbreviated: boolean;
}

/**
 * Decodes the text at `address`: words of three letters each. It ends at a word that is marked, or at `limit`.
 * The standard forbids abbreviations inside of abbreviations; they are left out.
 */
export function decodeText(memory: DataView, tables: TextTables, address: number, limit: number): DecodedText {
  let text = '';
  let alphabet = 0;
  let abbreviated = false;
  // Letters of a character that needs more than one: an abbreviation (1 to 3), or a code of two halves.
  let bank = 0;
  let halves = 0;
  let code = 0;
  let end = address;
  while (end + 1 < limit) {
    const word = memory.getUint16(end);
    end += 2;
    for (let shift = 10; shift >= 0; shift -= 5) {
      const letter = (word >> shift) & 31;
      if (bank > 0) {
        text += abbreviation(bank, letter);
        bank = 0;
      } else if (halves > 0) {
        code = (code << 5) | letter;
        halves--;
        if (halves === 0) text += tables.unicode_table[code] ?? '';
      } else if (letter === 0) {
        text += ' ';
        alphabet = 0;
      } else if (letter < 4) {
        bank = letter;
        alphabet = 0;
        abbreviated = true;
      } else if (letter < 6) {
        alphabet = letter - 3;
      } else {
        if (alphabet === 2 && letter === 6) {
          halves = 2;
          code = 0;
        } else {
          text += tables.unicode_table[tables.alphabets[alphabet]?.[letter - 6] ?? 0] ?? '';
        }
        alphabet = 0;
      }
    }
    if ((word & 0x8000) !== 0) break;
  }
  return { text, end, abbreviated };

  function abbreviation(bank: number, letter: number): string {
    if (tables.abbr_addr === 0) return '';
    const place = tables.abbr_addr + 2 * (32 * (bank - 1) + letter);
    return decodeText(memory, { ...tables, abbr_addr: 0 }, memory.getUint16(place) * 2, memory.byteLength).text;
  }
}
