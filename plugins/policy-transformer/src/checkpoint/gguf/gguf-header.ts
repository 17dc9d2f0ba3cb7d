/*
 * The header of a GGUF file (docs/gguf.md of ggml): metadata, then the list of tensors, little-endian. Everything that it says is
 * checked before it is used: counts and lengths fit the file, names are unique, tensors lie in the file and do not overlap.
 */
import type { FileHandle } from 'node:fs/promises';

import type { GgufField } from '../../tokenizer/gguf-vocabulary.js';
import { type BlockType, blockTypes } from './dequantize.js';

/** The place of a tensor in a file. */
export interface GgufEntry {
  readonly name: string;
  readonly type: BlockType;
  /** Row-major: [out, in] of a matrix. */
  readonly shape: readonly number[];
  /** Bytes from the start of the file. */
  readonly start: number;
  readonly end: number;
}

export interface GgufHeader {
  readonly fields: ReadonlyMap<string, GgufField>;
  readonly entries: ReadonlyMap<string, GgufEntry>;
}

/** As in ggml. */
const MOST_SIZES = 4;
/** A chat template is the longest text of a usual file: some ten thousand bytes. */
const LONGEST_TEXT = 16 * 1024 * 1024;
// Twenty times what the largest vocabularies need. Everything before the numbers is held in memory.
const LONGEST_HEADER = 256 * 1024 * 1024;
const MOST_ITEMS = 4_000_000;
const MOST_ENTRIES = 100_000;
const USUAL_ALIGNMENT = 32;
/** Bytes that are read at a time. */
const CHUNK = 1024 * 1024;

/** Reads and checks a header. Throws an error that names the file and the cause. */
export async function readGgufHeader(file: FileHandle, path: string): Promise<GgufHeader> {
  const { size } = await file.stat();
  const reader = new HeaderReader(file, path, size);
  const magic = size < 4 ? '' : (await reader.take(4)).toString('latin1');
  if (magic !== 'GGUF') throw new Error(`${path} is not a GGUF file: it does not begin with GGUF`);
  await checkVersion(reader, path);
  const tensors = await reader.count('tensors', 24, MOST_ENTRIES);
  const fields = new Map<string, GgufField>();
  for (let left = await reader.count('metadata', 13, MOST_ENTRIES); left > 0; left -= 1) {
    const name = await reader.text('a name of the metadata');
    if (fields.has(name)) throw damaged(path, `the metadata has ${JSON.stringify(name)} twice`);
    fields.set(name, await reader.value(name));
  }
  refuseParts(fields, path);
  const placed: { name: string; type: BlockType; shape: number[]; offset: number }[] = [];
  for (let left = tensors; left > 0; left -= 1) placed.push(await readTensor(reader, path));
  const alignment = fields.get('general.alignment') ?? USUAL_ALIGNMENT;
  if (typeof alignment !== 'number' || !Number.isInteger(alignment) || alignment < 8 || alignment % 8 !== 0) {
    throw damaged(path, `general.alignment is ${JSON.stringify(alignment)}, not a multiple of 8`);
  }
  const dataStart = Math.ceil(reader.place / alignment) * alignment;
  const entries = placed.map(({ offset, ...tensor }): GgufEntry => {
    if (offset % alignment !== 0) throw damaged(path, `${tensor.name} starts between multiples of ${alignment} bytes`);
    const start = dataStart + offset;
    return { ...tensor, start, end: start + bytesOf(tensor.shape, tensor.type) };
  });
  checkPlaces(entries, size, path);
  return { fields, entries: new Map(entries.map((entry) => [entry.name, entry])) };
}

async function checkVersion(reader: HeaderReader, path: string): Promise<void> {
  const bytes = await reader.take(4);
  const version = bytes.readUInt32LE();
  if (version === 2 || version === 3) return;
  const swapped = bytes.readUInt32BE();
  if (swapped <= 3) throw new Error(`${path} has its numbers in big-endian order; only little-endian files are read`);
  throw new Error(`${path} is GGUF of version ${version}; versions 2 and 3 are read. Convert the model again.`);
}

function refuseParts(fields: ReadonlyMap<string, GgufField>, path: string): void {
  const parts = fields.get('split.count') ?? 0;
  if (parts === 0 || parts === 1) return;
  throw new Error(
    `${path} is one of ${JSON.stringify(parts)} parts of a model. Make one file of them with llama.cpp: \`llama-gguf-split --merge FIRST OUT\`.`,
  );
}

async function readTensor(reader: HeaderReader, path: string) {
  const name = await reader.text('a name of a tensor');
  const sizes = await reader.uint32();
  if (sizes < 1 || sizes > MOST_SIZES) throw damaged(path, `${name} has ${sizes} sizes`);
  const shape: number[] = [];
  for (let left = sizes; left > 0; left -= 1) shape.unshift(await reader.uint64(`a size of ${name}`));
  if (shape.includes(0)) throw damaged(path, `${name} has a size of 0`);
  const number = await reader.uint32();
  const type = Object.hasOwn(blockTypes, number) ? blockTypes[number]! : undefined;
  if (type === undefined) {
    const known = Object.values(blockTypes).map((one) => one.name);
    throw new Error(`${path}: ${name} has the type ${nameOfType(number)}; supported: ${known.join(', ')}`);
  }
  if (shape.at(-1)! % type.length !== 0) {
    throw damaged(path, `rows of ${name} have ${shape.at(-1)} numbers, which blocks of ${type.name} do not fill`);
  }
  return { name, type, shape, offset: await reader.uint64(`the place of ${name}`) };
}

/** Names of types that are not read (`ggml_type`). */
const otherTypes: { readonly [number: number]: string } = {
  9: 'Q8_1',
  15: 'Q8_K',
  16: 'IQ2_XXS',
  17: 'IQ2_XS',
  18: 'IQ3_XXS',
  19: 'IQ1_S',
  21: 'IQ3_S',
  22: 'IQ2_S',
  23: 'IQ4_XS',
  24: 'I8',
  25: 'I16',
  26: 'I32',
  27: 'I64',
  28: 'F64',
  29: 'IQ1_M',
  34: 'TQ1_0',
  35: 'TQ2_0',
  39: 'MXFP4',
};

function nameOfType(number: number): string {
  return otherTypes[number] ?? `${number}, which nobody knows here`;
}

function bytesOf(shape: readonly number[], { bytes, length }: BlockType): number {
  return (shape.reduce((product, size) => product * size, 1) / length) * bytes;
}

function checkPlaces(entries: readonly GgufEntry[], size: number, path: string): void {
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name)) throw damaged(path, `two tensors have the name ${name}`);
    names.add(name);
  }
  let [end, before] = [0, ''];
  for (const entry of entries.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (entry.end > size) throw damaged(path, `it is truncated: ${entry.name} ends at byte ${entry.end} of ${size}`);
    if (entry.start < end) throw damaged(path, `the bytes of ${entry.name} overlap those of ${before}`);
    [end, before] = [entry.end, entry.name];
  }
}

function damaged(path: string, cause: string): Error {
  return new Error(`${path} is damaged: ${cause}`);
}

/** Reads a file from its beginning, by some bytes at a time. */
class HeaderReader {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #size: number;
  #chunk = Buffer.alloc(0);
  /** Of the chunk in the file. */
  #start = 0;
  /** The bytes that were taken. */
  place = 0;

  constructor(file: FileHandle, path: string, size: number) {
    this.#file = file;
    this.#path = path;
    this.#size = size;
  }

  async take(count: number): Promise<Buffer> {
    if (this.place + count > this.#size) throw damaged(this.#path, `it is truncated after ${this.#size} bytes`);
    if (this.place + count > LONGEST_HEADER) {
      throw damaged(this.#path, `what stands before its numbers has more than ${LONGEST_HEADER} bytes`);
    }
    if (this.place + count > this.#start + this.#chunk.length) {
      const chunk = Buffer.alloc(Math.min(Math.max(count, CHUNK), this.#size - this.place));
      for (let done = 0; done < chunk.length;) {
        const { bytesRead } = await this.#file.read(chunk, done, chunk.length - done, this.place + done);
        if (bytesRead === 0) throw damaged(this.#path, `it is truncated after ${this.place + done} bytes`);
        done += bytesRead;
      }
      [this.#chunk, this.#start] = [chunk, this.place];
    }
    const from = this.place - this.#start;
    this.place += count;
    return this.#chunk.subarray(from, from + count);
  }

  async uint32(): Promise<number> {
    return (await this.take(4)).readUInt32LE();
  }

  async uint64(what: string): Promise<number> {
    const value = (await this.take(8)).readBigUInt64LE();
    if (value <= Number.MAX_SAFE_INTEGER) return Number(value);
    throw damaged(this.#path, `${what} is ${value}`);
  }

  /** A number of things that take at least `bytes` each. */
  async count(what: string, bytes: number, most: number): Promise<number> {
    const value = await this.uint64(`the number of ${what}`);
    if (value > most) throw damaged(this.#path, `it says that it has ${value} ${what}, more than ${most}`);
    if (value * bytes <= this.#size) return value;
    throw damaged(this.#path, `it says that it has ${value} ${what}, and has ${this.#size} bytes`);
  }

  async text(what: string): Promise<string> {
    const length = await this.uint64(`the length of ${what}`);
    if (length > LONGEST_TEXT) throw damaged(this.#path, `${what} has ${length} bytes, more than ${LONGEST_TEXT}`);
    return (await this.take(length)).toString('utf8');
  }

  async value(name: string): Promise<GgufField> {
    const type = await this.uint32();
    if (type !== LIST) return this.#single(type, name);
    const inner = await this.uint32();
    if (inner === LIST) throw damaged(this.#path, `${name} is a list of lists`);
    const list: (number | boolean | string)[] = [];
    for (let left = await this.count(`items in ${name}`, 1, MOST_ITEMS); left > 0; left -= 1) {
      list.push(await this.#single(inner, name));
    }
    return list.map((item) => (typeof item === 'boolean' ? Number(item) : item)) as
      | readonly number[]
      | readonly string[];
  }

  async #single(type: number, name: string): Promise<number | boolean | string> {
    if (type === TEXT) return this.text(name);
    const kind = Object.hasOwn(kinds, type) ? kinds[type]! : undefined;
    if (kind === undefined) throw damaged(this.#path, `${name} has a value of type ${type}, which nobody knows`);
    const [bytes, read] = kind;
    return read(await this.take(bytes));
  }
}

const TEXT = 8;
const LIST = 9;

/** The other types of metadata: bytes, and how they are read. */
const kinds: { readonly [type: number]: readonly [bytes: number, read: (bytes: Buffer) => number | boolean] } = {
  0: [1, (bytes) => bytes.readUInt8()],
  1: [1, (bytes) => bytes.readInt8()],
  2: [2, (bytes) => bytes.readUInt16LE()],
  3: [2, (bytes) => bytes.readInt16LE()],
  4: [4, (bytes) => bytes.readUInt32LE()],
  5: [4, (bytes) => bytes.readInt32LE()],
  6: [4, (bytes) => bytes.readFloatLE()],
  7: [1, (bytes) => bytes.readUInt8() !== 0],
  10: [8, (bytes) => Number(bytes.readBigUInt64LE())],
  11: [8, (bytes) => Number(bytes.readBigInt64LE())],
  12: [8, (bytes) => bytes.readDoubleLE()],
};
