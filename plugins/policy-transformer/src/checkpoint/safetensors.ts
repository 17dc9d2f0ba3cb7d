/*
 * The safetensors format: a header, then the tensors, little-endian and without gaps. Nothing in a file is executed.
 * Tensors pass in pieces, so that reading or copying a file needs no second copy of a tensor.
 */
import { type FileHandle, open } from 'node:fs/promises';

import type { OutsideFiles } from '@agentgym/cli';

import { bytesOf, narrow, type StoredType, widen } from '../operations/half-floats.js';
import { readFully, readHeader, type SafetensorsHeader, type TensorEntry } from './safetensors-header.js';

/** A tensor on the host, row-major. */
export interface HostTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** A tensor whose numbers come in pieces, in order. A piece is valid until the next one is requested. */
export interface TensorSource {
  readonly shape: readonly number[];
  /** The type in which it is written; default: that of the other tensors. */
  readonly type?: StoredType;
  readonly pieces: () => AsyncIterable<Float32Array> | Iterable<Float32Array>;
}

/** The content of a file: tensors by name in the order of the file, and free text by key. */
export interface SafetensorsContent {
  readonly tensors: ReadonlyMap<string, HostTensor>;
  readonly metadata: { readonly [key: string]: string };
}

/** Numbers of a piece: small beside any model, large beside a system call. */
export const pieceLength = 2 ** 20;

/**
 * Reads a file. BF16 and F16 are widened to float32. Throws if the file is truncated or damaged, or contains another
 * type. The error names the file and the cause.
 */
export async function readSafetensors(files: OutsideFiles, path: string): Promise<SafetensorsContent> {
  const { tensors, metadata } = await openSafetensors(files, path);
  const read = new Map<string, HostTensor>();
  for (const [name, source] of tensors) read.set(name, { shape: source.shape, data: await readSource(source) });
  return { tensors: read, metadata };
}

/** The content of a file, with tensors whose numbers are read when they are wanted. */
export interface SafetensorsSources {
  /** In the order of the file. */
  readonly tensors: ReadonlyMap<string, TensorSource>;
  readonly metadata: SafetensorsContent['metadata'];
}

/** Reads only the header of a file. Throws like `readSafetensors`. */
export async function openSafetensors(files: OutsideFiles, path: string): Promise<SafetensorsSources> {
  const { entries, metadata, dataStart } = await headerOf(files, path);
  const sources = entries.map(
    (entry) => [entry.name, { shape: entry.shape, pieces: () => filePieces(files, path, entry, dataStart) }] as const,
  );
  return { tensors: new Map(sources), metadata };
}

/** All numbers of a source. */
export async function readSource(source: TensorSource): Promise<Float32Array> {
  const data = new Float32Array(elementsOf(source.shape));
  await readInto(data, source);
  return data;
}

/** Reads all numbers of a source into an array of their number. */
export async function readInto(data: Float32Array, source: TensorSource): Promise<void> {
  let start = 0;
  for await (const piece of source.pieces()) {
    data.set(piece, start);
    start += piece.length;
  }
}

async function headerOf(files: OutsideFiles, path: string): Promise<SafetensorsHeader> {
  const file = await files.open(path);
  try {
    return await readHeader(file, path);
  } finally {
    await file.close();
  }
}

async function* filePieces(
  files: OutsideFiles,
  path: string,
  { type, shape, start }: TensorEntry,
  dataStart: number,
): AsyncIterable<Float32Array> {
  const length = elementsOf(shape);
  const buffer = new Float32Array(Math.min(length, pieceLength));
  const file = await files.open(path);
  try {
    for (let done = 0; done < length; done += pieceLength) {
      const piece = buffer.subarray(0, Math.min(pieceLength, length - done));
      await readPiece(file, path, type, dataStart + start + done * bytesOf[type], piece);
      yield piece;
    }
  } finally {
    await file.close();
  }
}

/** A tensor of the host as a source. Throws if its data does not fill its shape. */
export function sourceOf(name: string, { shape, data }: HostTensor): TensorSource {
  if (data.length !== elementsOf(shape)) {
    throw new Error(`${name} has ${data.length} numbers, which does not match its shape [${shape.join(', ')}]`);
  }
  return {
    shape,
    *pieces() {
      for (let done = 0; done < data.length; done += pieceLength) yield data.subarray(done, done + pieceLength);
    },
  };
}

/** Like `sourceOf`, for several tensors. */
export function sourcesOf(tensors: ReadonlyMap<string, HostTensor>): Map<string, TensorSource> {
  return new Map([...tensors].map(([name, tensor]) => [name, sourceOf(name, tensor)]));
}

/**
 * Writes a file of tensors in the given order and, if they have no type of their own, in the given type. The same
 * content gives the same bytes. Throws if a number is too large for its type.
 */
export async function writeTensors(
  path: string,
  tensors: ReadonlyMap<string, TensorSource>,
  metadata: SafetensorsContent['metadata'],
  defaultType: StoredType,
): Promise<void> {
  const header: { [name: string]: unknown } = { __metadata__: metadata };
  let offset = 0;
  for (const [name, { shape, type = defaultType }] of tensors) {
    const bytes = elementsOf(shape) * bytesOf[type];
    header[name] = { dtype: type, shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
  }
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
  padded.writeBigUInt64LE(BigInt(padded.length - 8));
  text.copy(padded, 8);
  const file = await open(path, 'w');
  try {
    await file.writeFile(padded);
    for (const [name, tensor] of tensors) {
      const { type = defaultType } = tensor;
      for await (const piece of tensor.pieces()) {
        if (type === 'F16') refuseLarge(name, piece);
        await file.writeFile(narrow(piece, type));
      }
    }
  } finally {
    await file.close();
  }
}

/** Bytes of a tensor in a type. */
export function storedBytes(shape: readonly number[], type: StoredType): number {
  return elementsOf(shape) * bytesOf[type];
}

/** Fills a piece from a place in a file. */
async function readPiece(
  file: FileHandle,
  path: string,
  type: StoredType,
  position: number,
  piece: Float32Array,
): Promise<void> {
  // float32 needs no second place: its bytes are those of the piece.
  const isWide = type === 'F32';
  const bytes = isWide
    ? new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
    : new Uint8Array(piece.length * bytesOf[type]);
  await readFully(file, bytes, position, path);
  if (!isWide) widen(bytes, type, piece);
}

/** Half of the distance above the largest float16 rounds to infinity. */
const tooLargeForHalf = 65520;

/** Throws if a number would become infinite. */
export function refuseLarge(name: string, numbers: Float32Array): void {
  const large = numbers.find((number) => Math.abs(number) >= tooLargeForHalf);
  if (large !== undefined) {
    throw new Error(`${name} has the number ${large}, which is too large for float16; use bfloat16`);
  }
}

function elementsOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
