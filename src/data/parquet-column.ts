// A column without lists or structures, read page by page. hyparquet itself decodes whole column chunks, unless the file
// has an index of their pages, which few writers make. pandas makes chunks of a million rows. So pages are found here by
// their headers, and a row costs one page of each column.
import type { DecodedArray, FileMetaData, SchemaTree } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { compressors } from 'hyparquet-compressors';

import type { OpenedFile } from './opened-file.js';
import { RecentlyUsed } from './recently-used.js';

type Decoder = Parameters<typeof readPage>[2];

/** Bytes of a page, usually 2^20. The number comes from the file, and is allocated before anything is unpacked. */
const largestPage = 2 ** 28;
/** Rows of a page: a million that are equal take a few bytes. */
const mostRows = 2 ** 26;
const keptPages = 1;
const keptDictionaries = 2;

/** Where a page is: its bytes, and the rows of the group that it holds. */
interface PagePlace {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly rows: number;
}

/** The pages of a column in a row group. */
interface ChunkPages {
  readonly decoder: Decoder;
  readonly dictionary: Omit<PagePlace, 'first' | 'rows'> | undefined;
  readonly pages: readonly PagePlace[];
}

/** Decoded values of a page or a dictionary. */
interface DecodedPage {
  /** A text is the place of its bytes in `texts`, as `placeOf` writes it: a view of each would be several times a page. */
  readonly values: DecodedArray;
  /** Absent: no value is a text. */
  readonly texts?: ArrayBufferLike;
}

/** Bytes of a text: below this, a place and a length are one number without rounding. */
const longestText = 2 ** 25;

function placeOf({ byteOffset, byteLength }: Uint8Array): number {
  if (byteLength >= longestText) throw new Error(`a text has ${byteLength} bytes; at most ${longestText - 1} are read`);
  return byteOffset * longestText + byteLength;
}

function bytesAt(place: number, texts: ArrayBufferLike): Uint8Array {
  return new Uint8Array(texts, Math.floor(place / longestText), place % longestText);
}

/** Texts stay bytes: most values of a page are not asked for. */
export const parsers = {
  ...DEFAULT_PARSERS,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes as unknown as string,
};

/** Where the chunk of a column is in a row group. The rest of the metadata may be large, and is not kept. */
interface ChunkPlace {
  readonly start: number;
  readonly stop: number;
  readonly codec: Decoder['codec'];
}

export class ParquetColumn {
  readonly #file: OpenedFile;
  readonly #decoder: Omit<Decoder, 'codec'>;
  /** By row group. */
  readonly #chunks: readonly ChunkPlace[];
  readonly #found: (Promise<ChunkPages> | undefined)[] = [];
  readonly #dictionaries = new RecentlyUsed<number, Promise<DecodedPage | undefined>>(keptDictionaries);
  readonly #pages = new RecentlyUsed<string, Promise<DecodedPage>>(keptPages);

  /** @param schemaPath the root of the schema, and the column */
  constructor(file: OpenedFile, metadata: FileMetaData, schemaPath: [root: SchemaTree, column: SchemaTree]) {
    const { element } = schemaPath[1];
    const pathInSchema = [element.name];
    if (element.type === undefined) throw new Error(`the column ${element.name} has no type`);
    this.#file = file;
    const { type } = element;
    this.#decoder = { pathInSchema, type, element, schemaPath, parsers, compressors: boundedCompressors };
    this.#chunks = metadata.row_groups.map(({ columns }) => {
      const chunk = columns.find(({ meta_data: meta }) => String(meta?.path_in_schema) === element.name);
      if (chunk?.meta_data === undefined || chunk.file_path) throw new Error(`the column ${element.name} is elsewhere`);
      const {
        dictionary_page_offset: dictionary,
        data_page_offset: data,
        total_compressed_size: size,
      } = chunk.meta_data;
      // Some writers give 0 where there is no dictionary.
      const start = Number(dictionary || data);
      return { start, stop: start + Number(size), codec: chunk.meta_data.codec };
    });
  }

  /** The values of a row group from the row `first` up to `end`. */
  async values(group: number, first: number, end: number): Promise<unknown[]> {
    const found = await (this.#found[group] ??= this.#findPages(group));
    const values: unknown[] = [];
    let number = found.pages.findLastIndex((page) => page.first <= first);
    for (let page = found.pages[number]; page !== undefined && page.first < end; page = found.pages[++number]) {
      const place = page;
      const decoded = await this.#pages.get(`${group} ${number}`, () => this.#decode(group, found, place));
      const { texts, values: all } = decoded;
      for (let row = Math.max(first, page.first); row < Math.min(end, page.first + page.rows); row += 1) {
        const value: unknown = all[row - page.first];
        values.push(texts !== undefined && typeof value === 'number' ? bytesAt(value, texts) : value);
      }
    }
    if (values.length !== end - first) throw new Error(`pages end before row ${end} of row group ${group}`);
    return values;
  }

  async #decode(group: number, found: ChunkPages, { start, end }: PagePlace): Promise<DecodedPage> {
    const { decoder, dictionary: place } = found;
    const dictionary = await this.#dictionaries.get(group, async () => {
      if (place === undefined) return undefined;
      return this.#page(decoder, place, undefined, (raw, own) => convert(raw, own));
    });
    return this.#page(decoder, { start, end }, dictionary, (values) => values);
  }

  /** @param finish makes values of what a dictionary has */
  async #page(
    decoder: Decoder,
    { start, end }: Pick<PagePlace, 'start' | 'end'>,
    dictionary: DecodedPage | undefined,
    finish: (values: DecodedArray, decoder: Decoder) => DecodedArray,
  ): Promise<DecodedPage> {
    const reader = { view: new DataView((await this.#read(start, end)).buffer), offset: 0 };
    let texts: ArrayBufferLike | undefined;
    const stringFromBytes = (bytes: Uint8Array | undefined) => {
      texts ??= bytes?.buffer;
      return bytes && (placeOf(bytes) as unknown as string);
    };
    const own = { ...decoder, parsers: { ...parsers, stringFromBytes } };
    const { data = [] } = readPage(reader, parquetHeader(reader), own, dictionary?.values, undefined, 0);
    const values = finish(data, own);
    // Without texts of its own, it has those of the dictionary.
    const bytes = texts ?? dictionary?.texts;
    return { values, ...(bytes && { texts: bytes }) };
  }

  async #findPages(group: number): Promise<ChunkPages> {
    const { start: from, stop, codec } = this.#chunks[group] as ChunkPlace;
    const pages: PagePlace[] = [];
    let dictionary: ChunkPages['dictionary'];
    let first = 0;
    for (let start = from; start < stop;) {
      const { header, bytes } = await this.#headerAt(start, stop);
      const rows = (header.data_page_header ?? header.data_page_header_v2)?.num_values;
      if (!(header.compressed_page_size >= 0 && (rows ?? 0) <= mostRows))
        throw new Error(`the page at ${start} is damaged`);
      const end = start + bytes + header.compressed_page_size;
      if (header.type === 'DICTIONARY_PAGE') dictionary = { start, end };
      if (rows !== undefined) pages.push({ start, end, first, rows });
      first += rows ?? 0;
      start = end;
    }
    return { decoder: { ...this.#decoder, codec }, dictionary, pages };
  }

  /** The header of a page. Its length is not known before; statistics in it may be long. */
  async #headerAt(start: number, stop: number) {
    for (let length = 2 ** 8; ; length *= 8) {
      const end = Math.min(start + length, stop);
      const reader = { view: new DataView((await this.#read(start, end)).buffer), offset: 0 };
      try {
        return { header: parquetHeader(reader), bytes: reader.offset };
      } catch (error) {
        if (end === stop) throw error;
      }
    }
  }

  #read(start: number, end: number) {
    if (!(start >= 0 && start < end && end <= this.#file.bytes))
      throw new Error(`a page at ${start} is not in the file`);
    return this.#file.read(start, end);
  }
}

/** Unpacks what hyparquet reads. */
export const boundedCompressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, bytes: number) => {
      if (bytes > largestPage) throw new Error(`a page has ${bytes} bytes; at most ${largestPage} are read`);
      return unpack(input, bytes);
    },
  ]),
);
