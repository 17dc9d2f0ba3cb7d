/*
 * The safetensors format (huggingface.co/docs/safetensors): eight bytes of header length, a JSON header with the type,
 * shape and offsets of each tensor, then the tensors, little-endian and without gaps. Nothing in a file is executed.
 * Offsets are checked before they are used.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';

/** A tensor on the host, row-major. */
export interface HostTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** The content of a file: tensors by name in the order of the file, and free text by key. */
export interface SafetensorsContent {
  readonly tensors: ReadonlyMap<string, HostTensor>;
  readonly metadata: { readonly [key: string]: string };
}

const bytesOf = { F32: 4, BF16: 2, F16: 2 } as const;
type StoredType = keyof typeof bytesOf;

interface Entry {
  readonly name: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** Reads are split into pieces of this many bytes, because one system call moves less than 2 GiB. */
const pieceBytes = 2 ** 30;
const longestHeader = 100 * 2 ** 20;

/**
 * Reads a file. BF16 and F16 are widened to float32. Throws if the file is truncated or damaged, or contains another
 * type. The error names the file and the cause.
 * @param wanted returns true for the tensors to read; all tensors are checked
 */
export async function readSafetensors(
  path: string,
  wanted: (name: string) => boolean = () => true,
): Promise<SafetensorsContent> {
  const file = await open(path, 'r');
  try {
    const { entries, metadata, dataStart } = await readHeader(file, path);
    const tensors = new Map<string, HostTensor>();
    for (const { name, type, shape, start, end } of entries) {
      if (!wanted(name)) continue;
      const bytes = new Uint8Array(end - start);
      await readFully(file, bytes, dataStart + start, path);
      tensors.set(name, { shape, data: widen(bytes, type) });
    }
    return { tensors, metadata };
  } finally {
    await file.close();
  }
}

/** Shapes of the tensors in a file, without reading the tensors. Throws like `readSafetensors`. */
export async function readShapes(
  path: string,
  wanted: (name: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Pick<HostTensor, 'shape'>>> {
  const file = await open(path, 'r');
  try {
    const { entries } = await readHeader(file, path);
    return new Map(entries.filter(({ name }) => wanted(name)).map(({ name, shape }) => [name, { shape }]));
  } finally {
    await file.close();
  }
}

/** Writes a file of float32 tensors in the given order. The same content gives the same bytes. */
export async function writeSafetensors(path: string, { tensors, metadata }: SafetensorsContent): Promise<void> {
  const header: { [name: string]: unknown } = { __metadata__: metadata };
  let offset = 0;
  for (const [name, { shape, data }] of tensors) {
    if (data.length !== shape.reduce((product, size) => product * size, 1)) {
      throw new Error(`${name} has ${data.length} numbers, which does not match its shape [${shape.join(', ')}]`);
    }
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
  padded.writeBigUInt64LE(BigInt(padded.length - 8));
  text.copy(padded, 8);
  const file = await open(path, 'w');
  try {
    await file.writeFile(padded);
    for (const { data } of tensors.values()) {
      await file.writeFile(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    }
  } finally {
    await file.close();
  }
}

async function readHeader(
  file: FileHandle,
  path: string,
): Promise<{ entries: readonly Entry[]; metadata: { [key: string]: string }; dataStart: number }> {
  const { size } = await file.stat();
  const length = Buffer.alloc(8);
  await readFully(file, length, 0, path);
  const headerLength = Number(length.readBigUInt64LE());
  if (headerLength > longestHeader) throw damaged(path, 'it does not start with a header');
  const text = Buffer.alloc(headerLength);
  await readFully(file, text, 8, path);
  const header = parseObject(text.toString('utf8'), path);

  const dataStart = 8 + headerLength;
  const { __metadata__: metadata = {}, ...rest } = header;
  const entries = Object.entries(rest).map(([name, value]) => readEntry(name, value, path));
  const end = entries.reduce((most, entry) => Math.max(most, entry.end), 0);
  if (dataStart + end > size) {
    throw damaged(path, `it is truncated: it has ${size} of ${dataStart + end} bytes`);
  }
  return { entries, metadata: metadata as { [key: string]: string }, dataStart };
}

function readEntry(name: string, value: unknown, path: string): Entry {
  const {
    dtype,
    shape,
    data_offsets: offsets,
  } = value as {
    readonly dtype?: unknown;
    readonly shape?: unknown;
    readonly data_offsets?: unknown;
  };
  if (!(typeof dtype === 'string' && dtype in bytesOf)) {
    throw new Error(`${basename(path)}: ${name} is stored as ${String(dtype)}; supported: F32, BF16, F16`);
  }
  const type = dtype as StoredType;
  if (!isCounts(shape) || !isCounts(offsets)) throw damaged(path, `the header entry of ${name} cannot be read`);
  const [start, end] = offsets;
  const bytes = shape.reduce((product, size) => product * size, 1) * bytesOf[type];
  if (offsets.length !== 2 || start === undefined || end === undefined || end - start !== bytes) {
    throw damaged(path, `the byte range of ${name} does not match its shape`);
  }
  return { name, type, shape, start, end };
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && (item as number) >= 0);
}

function parseObject(text: string, path: string): { [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as { [key: string]: unknown };
  } catch {
    // Falls through: text that is not JSON and JSON that is not an object get the same error.
  }
  throw damaged(path, 'its header is not a JSON object');
}

async function readFully(file: FileHandle, into: Uint8Array, position: number, path: string): Promise<void> {
  for (let done = 0; done < into.length;) {
    const length = Math.min(pieceBytes, into.length - done);
    const { bytesRead } = await file.read(into, done, length, position + done);
    if (bytesRead === 0) throw damaged(path, `it is truncated: it ends after ${position + done} bytes`);
    done += bytesRead;
  }
}

function widen(bytes: Uint8Array, type: StoredType): Float32Array {
  if (type === 'F32') return new Float32Array(bytes.buffer);
  const halves = new Uint16Array(bytes.buffer);
  const bits = new Uint32Array(halves.length);
  if (type === 'BF16') for (let i = 0; i < halves.length; i += 1) bits[i] = halves[i]! << 16;
  else for (let i = 0; i < halves.length; i += 1) bits[i] = widenHalf(halves[i]!);
  return new Float32Array(bits.buffer);
}

/** Bits of the float32 that equals an IEEE 754 half. */
function widenHalf(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  // A subnormal half is a normal float32: shift the leading one out of the fraction.
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
}

function damaged(path: string, cause: string): Error {
  return new Error(`${path} is damaged: ${cause}`);
}
