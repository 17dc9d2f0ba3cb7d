import { bytesOf, narrow, type StoredType } from '../../operations/half-floats.js';
import { refuseLarge } from '../safetensors.js';

/** Types of stored numbers: those of safetensors, and 8 bits with one scale for 32 numbers. */
export type GgufType = StoredType | 'Q8_0';

/** Numbers of a block. */
export const blockLength = { F32: 1, F16: 1, BF16: 1, Q8_0: 32 } as const satisfies {
  readonly [type in GgufType]: number;
};

/** Bytes of a block. */
export const blockBytes = { ...bytesOf, Q8_0: 34 } as const satisfies { readonly [type in GgufType]: number };

/** The bytes of numbers that come in pieces. Throws if a number is too large for float16. */
export async function* toBlocks(
  name: string,
  type: GgufType,
  pieces: AsyncIterable<Float32Array> | Iterable<Float32Array>,
): AsyncIterable<Uint8Array> {
  if (type === 'Q8_0') {
    for await (const piece of regroup(pieces, blockLength.Q8_0)) yield quantize(piece);
    return;
  }
  for await (const piece of pieces) {
    if (type === 'F16') refuseLarge(name, piece);
    yield narrow(piece, type);
  }
}

/** The same numbers in pieces whose lengths are multiples of `length`; the numbers must fill the last one. */
export async function* regroup(
  pieces: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  length: number,
): AsyncIterable<Float32Array> {
  let rest = new Float32Array(0);
  for await (const piece of pieces) {
    let whole = piece;
    if (rest.length > 0) {
      whole = new Float32Array(rest.length + piece.length);
      whole.set(rest);
      whole.set(piece, rest.length);
    }
    const full = whole.length - (whole.length % length);
    if (full > 0) yield whole.subarray(0, full);
    rest = whole.slice(full);
  }
}

/** ggml's Q8_0: of 32 numbers the largest becomes 127, and halves are rounded away from zero. */
function quantize(numbers: Float32Array): Uint8Array {
  const count = numbers.length / blockLength.Q8_0;
  const bytes = new Uint8Array(count * blockBytes.Q8_0);
  const scales = new Float32Array(count);
  for (let block = 0; block < count; block += 1) {
    const from = block * blockLength.Q8_0;
    let largest = 0;
    for (let at = from; at < from + blockLength.Q8_0; at += 1) largest = Math.max(largest, Math.abs(numbers[at]!));
    const scale = Math.fround(largest / 127);
    scales[block] = scale;
    const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
    const to = block * blockBytes.Q8_0 + 2;
    for (let at = 0; at < blockLength.Q8_0; at += 1) {
      const number = Math.fround(numbers[from + at]! * inverse);
      bytes[to + at] = Math.sign(number) * Math.floor(Math.abs(number) + 0.5);
    }
  }
  const halves = narrow(scales, 'F16');
  for (let block = 0; block < count; block += 1) {
    bytes.set(halves.subarray(2 * block, 2 * block + 2), block * blockBytes.Q8_0);
  }
  return bytes;
}
