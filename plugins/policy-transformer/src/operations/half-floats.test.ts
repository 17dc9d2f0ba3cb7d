import { describe, expect, it } from 'vitest';

import { narrow, type StoredType, widen } from './half-floats.js';

/** All finite numbers of a type of 16 bits, with their bits. */
function allNumbers(type: StoredType): { readonly bits: Uint16Array; readonly numbers: Float32Array } {
  const bits = Uint16Array.from({ length: 2 ** 16 }, (_, index) => index);
  const numbers = new Float32Array(bits.length);
  widen(new Uint8Array(bits.buffer), type, numbers);
  return { bits, numbers };
}

const halves = (numbers: number[], type: StoredType) => [
  ...new Uint16Array(narrow(Float32Array.from(numbers), type).buffer as ArrayBuffer),
];

describe.each(['BF16', 'F16'] as const)('%s', (type) => {
  it('comes back from float32 with all its bits', () => {
    const { bits, numbers } = allNumbers(type);
    const back = new Uint16Array(narrow(numbers, type).buffer as ArrayBuffer);
    const wrong = bits.filter((value, index) => !Number.isNaN(numbers[index]) && back[index] !== value);
    expect([...wrong]).toEqual([]);
  });

  // Goes red without the `& 1` in the rounding of `narrowBrain` or `narrowHalf`.
  it('rounds to the nearest, and to the even one of two', () => {
    const { numbers } = allNumbers(type);
    const sorted = numbers.filter((number) => Number.isFinite(number) && 1 / number > 0).sort();
    for (let index = 0; index + 1 < sorted.length; index += 7) {
      const [low, high] = [sorted[index]!, sorted[index + 1]!];
      const middle = low + (high - low) / 2;
      const [lowBits, highBits] = halves([low, high], type) as [number, number];
      const even = lowBits % 2 === 0 ? lowBits : highBits;
      const quarter = low + (high - low) / 4;
      const expected = [even, lowBits, highBits, even | 0x8000];
      expect(halves([middle, quarter, high - (high - low) / 4, -middle], type)).toEqual(expected);
    }
  });

  it('keeps what is not a finite number', () => {
    const numbers = new Float32Array(3);
    widen(narrow(new Float32Array([NaN, Infinity, -Infinity]), type), type, numbers);
    expect([...numbers]).toEqual([NaN, Infinity, -Infinity]);
  });
});

it('makes numbers beyond the range infinite', () => {
  expect(halves([65504, 65519, 65520, -1e30], 'F16')).toEqual([0x7bff, 0x7bff, 0x7c00, 0xfc00]);
  expect(halves([3.4e38, -3.4e38], 'BF16')).toEqual([0x7f80, 0xff80]);
});
