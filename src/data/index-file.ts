// An index on disk: a header in JSON, then arrays of numbers. Nothing is loaded but the header: elements are read in pages,
// of which a few stay in memory. So an index of any length is open at once.
import { closeSync, openSync, readSync } from 'node:fs';

import { RecentlyUsed } from './recently-used.js';
import { replaceFile } from './replace-file.js';

const magic = 'agentgym-rows-1\n';
const prefixBytes = magic.length + 8;
const pageBytes = 2 ** 13;
const keptPages = 512;

/** The arrays of an index by name, or where they are. */
export type IndexArrays = Readonly<Record<string, Uint8Array | Uint32Array | BigUint64Array | Float64Array>>;
type Places = Readonly<Record<string, { readonly start: number; readonly length: number }>>;

/** Writes an index. `facts` is JSON. Processes may write the same one at once. */
export async function writeIndex(path: string, facts: object, arrays: IndexArrays): Promise<void> {
  let bytes = 0;
  const places: Record<string, Places[string]> = {};
  for (const [name, array] of Object.entries(arrays)) {
    places[name] = { start: bytes, length: array.length };
    bytes += aligned(array.byteLength);
  }
  const header = Buffer.from(JSON.stringify({ facts, places, bytes }));
  const prefix = Buffer.alloc(prefixBytes, magic);
  prefix.writeDoubleLE(header.length, magic.length);
  await replaceFile(path, async (file) => {
    await file.writeFile(prefix);
    await file.writeFile(padded(header));
    for (const array of Object.values(arrays)) await file.writeFile(padded(array));
  });
}

/** An open index. */
export class IndexFile {
  readonly #file: number;
  readonly #pages = new RecentlyUsed<number, Page>(keptPages);
  readonly #arrays: number;
  readonly #places: Places;
  /** What `writeIndex` was given. */
  readonly facts: unknown;
  #isOpen = true;

  /** Throws if there is no whole index at the path. */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    try {
      const prefix = this.#read(0, prefixBytes);
      if (prefix.toString('latin1', 0, magic.length) !== magic) throw new Error(`${path} is no index`);
      const headerBytes = prefix.readDoubleLE(magic.length);
      const header = JSON.parse(String(this.#read(prefixBytes, headerBytes))) as {
        readonly facts: unknown;
        readonly places: Places;
        readonly bytes: number;
      };
      this.#arrays = prefixBytes + aligned(headerBytes);
      this.#places = header.places;
      this.facts = header.facts;
      if (header.bytes > 0) this.#read(this.#arrays + header.bytes - 1, 1);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Number of elements of an array; 0 if the index has none of this name. */
  length(array: string): number {
    return this.#places[array]?.length ?? 0;
  }

  /** An element of a Uint8Array. */
  byte(array: string, index: number): number {
    return this.#element(array, index, 1, ({ bytes }) => bytes);
  }

  /** An element of a Uint32Array. */
  word(array: string, index: number): number {
    return this.#element(array, index, 4, ({ words }) => words);
  }

  /** An element of a Float64Array. */
  number(array: string, index: number): number {
    return this.#element(array, index, 8, ({ numbers }) => numbers);
  }

  /** An element of a BigUint64Array. */
  big(array: string, index: number): bigint {
    return this.#element(array, index, 8, ({ bigs }) => bigs);
  }

  /** The text in UTF-8 between two places of a Uint8Array. */
  text(array: string, start: number, end: number): string {
    const at = (this.#places[array]?.start ?? 0) + start;
    const page = Math.floor(at / pageBytes);
    const from = at % pageBytes;
    const to = from + end - start;
    if (to <= pageBytes) return this.#page(page).bytes.toString('utf8', from, to);
    return this.#read(this.#arrays + at, end - start).toString('utf8');
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #element<T>(array: string, index: number, size: number, view: (page: Page) => { readonly [index: number]: T }): T {
    const { start, length } = this.#places[array] ?? { start: 0, length: 0 };
    if (!(index >= 0 && index < length)) throw new RangeError(`the index has no element ${index} in ${array}`);
    const at = start + index * size;
    return view(this.#page(Math.floor(at / pageBytes)))[(at % pageBytes) / size] as T;
  }

  /** Pages begin at the arrays, so that no element lies in two. */
  #page(number: number): Page {
    return this.#pages.get(number, () => {
      const page = newPage();
      readSync(this.#file, page.bytes, 0, pageBytes, this.#arrays + number * pageBytes);
      return page;
    });
  }

  #read(start: number, length: number): Buffer {
    const buffer = Buffer.alloc(length);
    if (readSync(this.#file, buffer, 0, length, start) < length) throw new Error('the index is truncated');
    return buffer;
  }
}

/** A page as arrays of each type. */
type Page = ReturnType<typeof newPage>;

function newPage() {
  const memory = new ArrayBuffer(pageBytes);
  return {
    bytes: Buffer.from(memory),
    words: new Uint32Array(memory),
    numbers: new Float64Array(memory),
    bigs: new BigUint64Array(memory),
  };
}

/** Arrays begin at multiples of 8 bytes. */
function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function padded(array: ArrayBufferView): Buffer {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  const missing = aligned(bytes.length) - bytes.length;
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing)]);
}
