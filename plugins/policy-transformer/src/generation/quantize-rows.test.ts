import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { quantizeInt4, quantizeInt8 } from './quantize-rows.js';

const { random } = testHost(3);
/** Rows with a single large weight each, as trained matrices have. */
const weights = Float32Array.from({ length: 6 * 72 }, (_, index) => random.normal() * (index % 71 === 5 ? 8 : 0.1));

describe('quantizeInt8', () => {
  const { codes, scales } = quantizeInt8(weights, 72);

  it('rounds every weight to the nearest multiple, and the largest of a row to 64 or -64', () => {
    weights.forEach((weight, index) => {
      const scale = scales[Math.floor(index / 72)]!;
      expect(Math.abs(weight - codes[index]! * scale)).toBeLessThanOrEqual(0.5001 * scale);
    });
    for (let row = 0; row < 6; row += 1) {
      expect(Math.max(...codes.slice(row * 72, (row + 1) * 72).map(Math.abs))).toBe(64);
    }
  });

  it('keeps a row of zeros, and says so where a weight is not finite', () => {
    const odd = quantizeInt8(Float32Array.of(0, 0, 1, NaN, 1, Infinity), 2);
    expect([...odd.codes.slice(0, 2), odd.scales[0]]).toEqual([0, 0, 0]);
    expect(odd.scales.slice(1).some(Number.isFinite)).toBe(false);
  });
});

describe('quantizeInt4', () => {
  const { codes, scales } = quantizeInt4(weights, 72);
  const codeAt = (row: number, column: number): number => {
    const byte = codes[row * 48 + Math.floor(column / 2)]!;
    return (column % 2 === 0 ? byte & 15 : byte >> 4) - 8;
  };

  it('rounds within half a step in blocks of 32, except for the far side of the largest weight', () => {
    expect([codes.length, scales.length]).toEqual([6 * 48, 6 * 3]);
    weights.forEach((weight, index) => {
      const [row, column] = [Math.floor(index / 72), index % 72];
      const scale = scales[row * 3 + Math.floor(column / 32)]!;
      const distance = Math.abs(weight - codeAt(row, column) * scale);
      expect(distance).toBeLessThanOrEqual((codeAt(row, column) === 7 ? 1.0001 : 0.5001) * Math.abs(scale));
    });
  });

  it('gives the weight of the largest size of each block the code 0, and fills up the last block with zeros', () => {
    for (let row = 0; row < 6; row += 1) {
      for (const [start, end] of [
        [0, 32],
        [32, 64],
        [64, 72],
      ] as const) {
        const block = [...weights.subarray(row * 72 + start, row * 72 + end)];
        const largest = block.reduce((found, x, at) => (Math.abs(x) > Math.abs(block[found]!) ? at : found), 0);
        expect(codeAt(row, start + largest)).toBe(-8);
      }
      for (let column = 72; column < 96; column += 1) expect(codeAt(row, column)).toBe(0);
    }
  });

  it('keeps a block of zeros, and says so where a weight is not finite', () => {
    const odd = quantizeInt4(new Float32Array(96).with(40, NaN).with(70, -Infinity), 32);
    expect(Math.abs(odd.scales[0]!)).toBe(0);
    expect(odd.scales.slice(1).some(Number.isFinite)).toBe(false);
  });
});
