import type { SplitName } from '../contracts/environment.js';
import { type IndexFacts, placeId } from './build-index.js';
import { hashId } from './hash-id.js';
import type { IndexFile } from './index-file.js';
import { dataSplitNames } from './split-rule.js';

/** Finds rows in an index that `buildIndex` wrote. A row is a number from 0 on, over all files. */
export class RowIndex {
  readonly #file: IndexFile;
  readonly #facts: IndexFacts;
  readonly #key: string;

  /** @param key of the hash of ids */
  constructor(file: IndexFile, key: string) {
    this.#file = file;
    this.#facts = file.facts as IndexFacts;
    this.#key = key;
  }

  get rows(): number {
    return this.#facts.rows;
  }

  /** The file of a row, and the first row of that file. */
  fileOf(row: number): { readonly file: number; readonly first: number } {
    const file = this.#facts.files.findLastIndex(({ first }) => first <= row);
    return { file, first: this.#facts.files[file]?.first ?? 0 };
  }

  /** Number of rows of a file. */
  rowsOf(file: number): number {
    return this.#facts.files[file]?.rows ?? 0;
  }

  /** Where a row of a file of lines starts in it, in bytes; the end of the file for the row after the last. */
  startOf(file: number, row: number): number {
    return this.#file.number('starts', (this.#facts.files[file]?.starts ?? 0) + row);
  }

  idOf(row: number): string {
    if (this.#file.length('idEnds') > 0) {
      return this.#file.text(
        'ids',
        row === 0 ? 0 : this.#file.number('idEnds', row - 1),
        this.#file.number('idEnds', row),
      );
    }
    const part = this.#facts.parts.findLast(({ first }) => first <= row);
    if (part === undefined) throw new RangeError(`there is no row ${row}`);
    return placeId(part, row);
  }

  /** The row with an id; undefined if there is none. */
  rowOf(id: string): number | undefined {
    return this.#file.length('idEnds') > 0 ? this.#search(id) : this.#rowAtPlace(id);
  }

  splitOf(row: number): SplitName | undefined {
    return dataSplitNames[this.#file.byte('splits', row) - 1];
  }

  /** Number of rows of a split. */
  countOf(split: SplitName): number {
    return this.#file.length(split);
  }

  /** The row at a place of a split. */
  rowIn(split: SplitName, place: number): number {
    return this.#file.word(split, place);
  }

  close(): void {
    this.#file.close();
  }

  #rowAtPlace(id: string): number | undefined {
    const slash = id.lastIndexOf('/');
    const part = this.#facts.parts.find(({ name }) => name === id.slice(0, Math.max(slash, 0)));
    const place = Number(id.slice(slash + 1));
    if (part === undefined || !(Number.isInteger(place) && place >= 0 && place < part.rows)) return undefined;
    // Only the one text that `placeId` writes: no `train/017`.
    if (placeId(part, part.first + place) !== id) return undefined;
    return part.first + place;
  }

  #search(id: string): number | undefined {
    const { word } = hashId(id, this.#key);
    const wanted = BigInt(word) << 32n;
    const length = this.#file.length('hashes');
    // Hashes are uniform, so their places are known up to a few deviations, the largest of which is half a root.
    const guess = (word / 2 ** 32) * length;
    const slack = 4 * Math.sqrt(length);
    let low = Math.max(Math.floor(guess - slack), 0);
    let high = Math.min(Math.ceil(guess + slack), length);
    if (low > 0 && this.#file.big('hashes', low - 1) >= wanted) low = 0;
    if (high < length && this.#file.big('hashes', high) < wanted) high = length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#file.big('hashes', middle) < wanted) low = middle + 1;
      else high = middle;
    }
    for (; low < length; low += 1) {
      const found = this.#file.big('hashes', low);
      if (found >> 32n !== BigInt(word)) return undefined;
      const row = Number(found & 0xffffffffn);
      if (this.idOf(row) === id) return row;
    }
    return undefined;
  }
}
