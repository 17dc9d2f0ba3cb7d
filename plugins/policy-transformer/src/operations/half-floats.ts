/*
 * Numbers of 16 bits. A bfloat16 is the upper half of a float32. A float16 is an IEEE 754 half: 5 bits of exponent, 10
 * of fraction. Widening is exact. Narrowing rounds to the nearest, and to the even one of two that are equally near.
 */

/** Types of stored numbers, with their bytes. */
export const bytesOf = { F32: 4, BF16: 2, F16: 2 } as const;

export type StoredType = keyof typeof bytesOf;

/** Copies stored numbers into `target`. `bytes` has `target.length` numbers, little-endian. */
export function widen(bytes: Uint8Array, type: StoredType, target: Float32Array): void {
  if (type === 'F32') {
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes);
    return;
  }
  const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, target.length);
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length);
  if (type === 'BF16') for (let i = 0; i < halves.length; i += 1) bits[i] = halves[i]! << 16;
  else for (let i = 0; i < halves.length; i += 1) bits[i] = widenHalf(halves[i]!);
}

/** The bytes of numbers in a stored type. A number too large for float16 becomes infinite. */
export function narrow(numbers: Float32Array, type: StoredType): Uint8Array {
  if (type === 'F32') return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  const halves = new Uint16Array(numbers.length);
  if (type === 'BF16') for (let i = 0; i < halves.length; i += 1) halves[i] = narrowBrain(bits[i]!);
  else for (let i = 0; i < halves.length; i += 1) halves[i] = narrowHalf(bits[i]!);
  return new Uint8Array(halves.buffer);
}

/**
 * The bfloat16 of a float32, both as bits.
 * @param added to the bits before the lower half is cut off, at most 0xffff. Default: rounds to the nearest.
 */
export function narrowBrain(bits: number, added: number = 0x7fff + ((bits >>> 16) & 1)): number {
  // A sum could make a NaN infinite, or another number. Keep it a NaN.
  if ((bits & 0x7fffffff) > 0x7f800000) return (bits >>> 16) | 0x40;
  return (bits + added) >>> 16;
}

function narrowHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const size = bits & 0x7fffffff;
  if (size > 0x7f800000) return sign | 0x7e00;
  // 65520 is halfway between the largest half, 65504, and the next power of two.
  if (size >= 0x477ff000) return sign | 0x7c00;
  // From 2^-14 on a half has all bits of its fraction: shift 13 bits out, and change the bias of the exponent.
  if (size >= 0x38800000) return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
  // Below, halves are multiples of 2^-24. 2^-25 is halfway between 0 and the first, and rounds to 0.
  const exponent = size >>> 23;
  if (exponent < 102) return sign;
  const fraction = (size & 0x7fffff) | 0x800000;
  const shift = 126 - exponent;
  const halfway = 2 ** (shift - 1);
  return sign | ((fraction + halfway - 1 + ((fraction >>> shift) & 1)) >>> shift);
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
