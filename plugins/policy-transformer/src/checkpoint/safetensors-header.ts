/*
 * The header of a safetensors file (huggingface.co/docs/safetensors): eight bytes of length, then JSON with the type,
 * shape and offsets of each tensor. Everything that it says is checked before it is used: offsets leave no gap, do not
 * overlap, and end where the file ends.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';

import { bytesOf, type StoredType } from '../operations/half-floats.js';

/** The place of a tensor in a file. */
export interface TensorEntry {
  readonly name: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  /** Bytes from the end of the header. */
  readonly start: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  /** In the order of the file. */
  readonly entries: readonly TensorEntry[];
  readonly metadata: { readonly [key: string]: string };
  /** Bytes from the start of the file to the first tensor. */
  readonly dataStart: number;
}

/** As in the original library. */
const longestHeader = 100_000_000;

/** Reads and checks a header. Throws an error that names the file and the cause. */
export async function readHeader(file: FileHandle, path: string): Promise<SafetensorsHeader> {
  const { size } = await file.stat();
  const length = Buffer.alloc(8);
  await readFully(file, length, 0, path);
  const headerLength = Number(length.readBigUInt64LE());
  if (headerLength > longestHeader) {
    throw damaged(path, `it does not start with a header: its first bytes say ${headerLength} bytes of header`);
  }
  if (8 + headerLength > size) throw truncated(path, size, 8 + headerLength);
  const text = Buffer.alloc(headerLength);
  await readFully(file, text, 8, path);
  const { __metadata__: metadata = {}, ...rest } = parseObject(text.toString('utf8'), path);
  const entries = Object.entries(rest)
    .map(([name, value]) => readEntry(name, value, path))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  const dataStart = 8 + headerLength;
  checkPlaces(entries, size - dataStart, path);
  return { entries, metadata: metadata as { [key: string]: string }, dataStart };
}

/** Reads are split into pieces of this many bytes, because one system call moves less than 2 GiB. */
const pieceBytes = 2 ** 30;

/** Fills `into` from a place in a file. Throws if the file ends before. */
export async function readFully(file: FileHandle, into: Uint8Array, position: number, path: string): Promise<void> {
  for (let done = 0; done < into.length;) {
    const length = Math.min(pieceBytes, into.length - done);
    const { bytesRead } = await file.read(into, done, length, position + done);
    if (bytesRead === 0) throw damaged(path, `it is truncated: it ends after ${position + done} bytes`);
    done += bytesRead;
  }
}

function checkPlaces(entries: readonly TensorEntry[], size: number, path: string): void {
  let end = 0;
  let before = '';
  for (const entry of entries) {
    if (entry.start < end) throw damaged(path, `the bytes of ${entry.name} overlap those of ${before}`);
    if (entry.start > end) throw damaged(path, `no tensor has the ${entry.start - end} bytes before ${entry.name}`);
    [end, before] = [entry.end, entry.name];
  }
  if (end > size) throw truncated(path, size, end);
  if (end < size) throw damaged(path, `${size - end} bytes follow the last tensor`);
}

function readEntry(name: string, value: unknown, path: string): TensorEntry {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as { readonly [key: string]: unknown };
  if (!(typeof dtype === 'string' && Object.hasOwn(bytesOf, dtype))) {
    const found =
      dtype === undefined
        ? 'has no dtype'
        : `is stored as ${typeof dtype === 'string' ? dtype : JSON.stringify(dtype)}`;
    throw new Error(`${basename(path)}: ${name} ${found}; supported: F32, BF16, F16`);
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

function truncated(path: string, size: number, needed: number): Error {
  return damaged(path, `it is truncated: it has ${size} of ${needed} bytes`);
}

function damaged(path: string, cause: string): Error {
  return new Error(`${path} is damaged: ${cause}`);
}
