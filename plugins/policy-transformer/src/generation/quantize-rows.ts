import { INT4_BLOCK, INT4_ZERO, LARGEST_INT8_CODE } from '../operations/quantized-matmul.js';

/** Codes of some rows of a matrix, and their scales. */
export interface QuantizedRows {
  readonly codes: Int8Array | Uint8Array;
  readonly scales: Float32Array;
}

/**
 * Rounds each row to the nearest of 129 multiples of its scale, so that its largest weight has the largest code. Numbers
 * that are not finite give scales that are not.
 * @param weights [n, inputs]
 * @returns codes [n, inputs], scales [n]: the operands of `int8Matmul`
 */
export function quantizeInt8(weights: Float32Array, inputs: number): QuantizedRows {
  const codes = new Int8Array(weights.length);
  const scales = new Float32Array(weights.length / inputs);
  for (let row = 0; row < scales.length; row += 1) {
    const end = (row + 1) * inputs;
    let largest = 0;
    for (let index = row * inputs; index < end; index += 1) largest = Math.max(largest, Math.abs(weights[index]!));
    scales[row] = largest / LARGEST_INT8_CODE;
    const inverse = inverseOf(scales[row]!);
    for (let index = row * inputs; index < end; index += 1) codes[index] = Math.floor(weights[index]! * inverse + 0.5);
  }
  return { codes, scales };
}

/**
 * Rounds each block of 32 inputs to multiples of its scale from -8 to 7 times. The weight of the largest size gets -8
 * (llama.cpp, `quantize_row_q4_0_ref`). A last block is filled up with zeros.
 * @param weights [n, inputs]
 * @returns codes [n, blocks, 16], scales [n, blocks]: the operands of `int4Matmul`
 */
export function quantizeInt4(weights: Float32Array, inputs: number): QuantizedRows {
  const rows = weights.length / inputs;
  const blocks = Math.ceil(inputs / INT4_BLOCK);
  const codes = new Uint8Array((rows * blocks * INT4_BLOCK) / 2);
  const scales = new Float32Array(rows * blocks);
  for (let block = 0; block < scales.length; block += 1) {
    const row = Math.floor(block / blocks);
    const start = row * inputs + (block % blocks) * INT4_BLOCK;
    const count = Math.min(INT4_BLOCK, (row + 1) * inputs - start);
    let [lowest, highest] = [0, 0];
    for (let index = start; index < start + count; index += 1) {
      lowest = Math.min(lowest, weights[index]!);
      highest = Math.max(highest, weights[index]!);
    }
    scales[block] = (highest > -lowest ? highest : lowest) / -INT4_ZERO;
    const inverse = inverseOf(scales[block]!);
    const code = (place: number): number =>
      place < count ? Math.min(15, Math.floor(weights[start + place]! * inverse + INT4_ZERO + 0.5)) : INT4_ZERO;
    const first = (block * INT4_BLOCK) / 2;
    for (let pair = 0; pair < INT4_BLOCK / 2; pair += 1) {
      codes[first + pair] = code(2 * pair) | (code(2 * pair + 1) << 4);
    }
  }
  return { codes, scales };
}

function inverseOf(scale: number): number {
  return scale === 0 ? 0 : 1 / scale;
}
