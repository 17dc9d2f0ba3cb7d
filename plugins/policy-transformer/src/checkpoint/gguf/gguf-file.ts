/*
 * GGUF, version 3 (docs/gguf.md of ggml): metadata, then the list of tensors, then their numbers, all little-endian. Each
 * tensor starts at a multiple of 32 bytes. Sizes are written with the innermost first, so a matrix [out, in] is (in, out).
 */
import { open } from 'node:fs/promises';

import { elementCount } from '../../operations/shapes.js';
import { blockBytes, blockLength, type GgufType, toBlocks } from './gguf-types.js';

/** A value of the metadata, with the type that readers expect. */
export type GgufValue =
  | { readonly type: 'uint32' | 'int32' | 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] };

/** A tensor of a file. Its pieces come in order; a piece is valid until the next one is requested. */
export interface GgufTensor {
  /** Row-major: [out, in] of a matrix. */
  readonly shape: readonly number[];
  readonly type: GgufType;
  readonly pieces: () => AsyncIterable<Float32Array> | Iterable<Float32Array>;
}

const ALIGNMENT = 32;
const valueTypes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8 } as const;
const ARRAY = 9;
const tensorTypes = { F32: 0, F16: 1, Q8_0: 8, BF16: 30 } as const satisfies { readonly [type in GgufType]: number };

/**
 * Writes a file. Tensors pass in pieces, so that memory does not grow with the model. The same content gives the same bytes.
 *
 * @throws Error if a number is too large for its type, or if the pieces do not fill a tensor
 */
export async function writeGguf(
  path: string,
  metadata: ReadonlyMap<string, GgufValue>,
  tensors: ReadonlyMap<string, GgufTensor>,
): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(header(metadata, tensors));
    for (const [name, tensor] of tensors) {
      let written = 0;
      for await (const bytes of toBlocks(name, tensor.type, tensor.pieces())) {
        await file.writeFile(bytes);
        written += bytes.length;
      }
      if (written !== bytesOf(tensor)) {
        throw new Error(`${name} has ${written} bytes instead of ${bytesOf(tensor)}`);
      }
      await file.writeFile(Buffer.alloc(aligned(written) - written));
    }
  } finally {
    await file.close();
  }
}

function header(metadata: ReadonlyMap<string, GgufValue>, tensors: ReadonlyMap<string, GgufTensor>): Buffer {
  const parts = [Buffer.from('GGUF'), uint32(3), uint64(tensors.size), uint64(metadata.size)];
  for (const [key, value] of metadata) parts.push(text(key), encode(value));
  let offset = 0;
  for (const [name, tensor] of tensors) {
    const sizes = tensor.shape.toReversed();
    parts.push(
      text(name),
      uint32(sizes.length),
      ...sizes.map(uint64),
      uint32(tensorTypes[tensor.type]),
      uint64(offset),
    );
    offset += aligned(bytesOf(tensor));
  }
  const whole = Buffer.concat(parts);
  return Buffer.concat([whole, Buffer.alloc(aligned(whole.length) - whole.length)]);
}

function encode(given: GgufValue): Buffer {
  switch (given.type) {
    case 'strings':
      return Buffer.concat(
        [uint32(ARRAY), uint32(valueTypes.string), uint64(given.value.length)].concat(given.value.map(text)),
      );
    case 'int32s': {
      const numbers = Buffer.alloc(4 * given.value.length);
      for (const [index, number] of given.value.entries()) numbers.writeInt32LE(number, 4 * index);
      return Buffer.concat([uint32(ARRAY), uint32(valueTypes.int32), uint64(given.value.length), numbers]);
    }
    case 'string':
      return Buffer.concat([uint32(valueTypes.string), text(given.value)]);
    case 'bool':
      return Buffer.concat([uint32(valueTypes.bool), Buffer.from([Number(given.value)])]);
    default: {
      const bytes = Buffer.alloc(4);
      if (given.type === 'float32') bytes.writeFloatLE(given.value);
      else if (given.type === 'int32') bytes.writeInt32LE(given.value);
      else bytes.writeUInt32LE(given.value);
      return Buffer.concat([uint32(valueTypes[given.type]), bytes]);
    }
  }
}

function bytesOf({ shape, type }: GgufTensor): number {
  return (elementCount(shape) / blockLength[type]) * blockBytes[type];
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}
