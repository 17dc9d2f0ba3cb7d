import { StoryError } from './story-error.js';

/** Facts of a story file, from its header. Addresses and sizes are in bytes. */
export interface StoryHeader {
  readonly version: 3 | 4 | 5 | 8;
  readonly release: number;
  /** Six characters, usually the date of compilation: `261120`. */
  readonly serial: string;
  readonly checksum: number;
  /** Length of the story. A file may be longer: it is padded. */
  readonly length: number;
  /** Memory below this address can change during play. */
  readonly staticMemory: number;
}

/** Bytes of a packed address' unit, by version. */
const units: { readonly [version: number]: number } = { 3: 2, 4: 4, 5: 4, 8: 8 };
/** Length of the header. */
const headerLength = 64;
/** The interpreter reads all words of the dictionary when a game starts. */
const mostWords = 20_000;

/** Reads the header of a story (Z-machine, versions 3, 4, 5 and 8). Throws `StoryError` if it cannot be played. */
export function readStoryHeader(bytes: Uint8Array): StoryHeader {
  if (bytes.length === 0) throw new StoryError('the story is empty');
  const version = bytes[0] as number;
  const unit = units[version];
  if (version === 0x46 && bytes[1] === 0x4f) throw new StoryError('the story is inside of a Blorb archive: unpack it');
  if (version < 1 || version > 8) throw new StoryError('not a Z-machine story: its first byte is not a version');
  if (unit === undefined) throw new StoryError(`a story of version ${version}; only 3, 4, 5 and 8 can be played`);
  if (bytes.length < headerLength) throw new StoryError(`the story is cut off: ${bytes.length} bytes`);

  const word = (address: number) => ((bytes[address] as number) << 8) | (bytes[address + 1] as number);
  // Early compilers wrote no length.
  const length = word(0x1a) === 0 ? bytes.length : word(0x1a) * unit;
  if (length > bytes.length) {
    throw new StoryError(`the story is cut off: ${bytes.length} of ${length} bytes`);
  }
  const staticMemory = word(0x0e);
  const within = (name: string, from: number, size: number, end: number) => {
    if (from < headerLength || from + size > end)
      throw new StoryError(`the story's ${name} lies outside of its memory`);
  };
  const wide = version > 3;
  within('static memory', staticMemory, 0, length);
  within('first instruction', word(0x06), 1, length);
  if (word(0x06) < staticMemory) throw new StoryError('the first instruction lies in memory that can change');
  within('table of objects', word(0x0a), wide ? 63 * 2 : 31 * 2, staticMemory);
  within('area of global variables', word(0x0c), 240 * 2, staticMemory);
  if (word(0x18) !== 0) within('table of abbreviations', word(0x18), 96 * 2, length);
  checkDictionary();
  if (version > 4) {
    if (word(0x34) !== 0) within('alphabet', word(0x34), 78, length);
    const extension = word(0x36);
    if (extension !== 0) {
      within('header extension', extension, 2, staticMemory);
      within('header extension', extension, 2 + word(extension) * 2, staticMemory);
      const letters = word(extension) >= 3 ? word(extension + 6) : 0;
      if (letters !== 0) {
        within('table of characters', letters, 1, length);
        within('table of characters', letters, 1 + (bytes[letters] as number) * 2, length);
      }
    }
  }

  const checksum = word(0x1c);
  // Some stories have none.
  if (checksum !== 0) {
    let sum = 0;
    for (let address = headerLength; address < length; address++) sum += bytes[address] as number;
    if ((sum & 0xffff) !== checksum) throw new StoryError('the story is damaged: its checksum is wrong');
  }
  const serial = String.fromCharCode(...bytes.subarray(0x12, 0x18)).replace(/[^ -~]/g, '?');
  return { version: version as StoryHeader['version'], release: word(0x02), serial, checksum, length, staticMemory };

  function checkDictionary(): void {
    const dictionary = word(0x08);
    within('dictionary', dictionary, 4, length);
    const separators = bytes[dictionary] as number;
    within('dictionary', dictionary, 4 + separators, length);
    const size = bytes[dictionary + 1 + separators] as number;
    const words = word(dictionary + 2 + separators);
    if (words > mostWords || size < (wide ? 6 : 4)) throw new StoryError("the story's dictionary is broken");
    within('dictionary', dictionary, 4 + separators + words * size, length);
  }
}
