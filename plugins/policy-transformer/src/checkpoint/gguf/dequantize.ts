/*
 * Numbers of GGUF files in the types of ggml (ggml-quants.c of llama.cpp). A type divides a row into blocks, and a block has
 * its scales beside its numbers. Every product of a scale and a number is exact in float32, so each result is rounded once,
 * as in the `gguf` package of Python.
 */
import { widen } from '../../operations/half-floats.js';

/** How a type stores numbers. */
export interface BlockType {
  readonly name: string;
  /** Numbers of a block. */
  readonly length: number;
  /** Bytes of a block. */
  readonly bytes: number;
  /** Writes the numbers of the block at `from` in `bytes` to `to`, from `at` on. */
  readonly read: (bytes: Uint8Array, from: number, to: Float32Array, at: number) => void;
}

/** Numbers of a block of the types with two levels of scales. */
const SUPER = 256;

/** By their number in a file (`ggml_type`). */
export const blockTypes: { readonly [number: number]: BlockType } = {
  0: { name: 'F32', length: 1, bytes: 4, read: readFloat },
  1: { name: 'F16', length: 1, bytes: 2, read: (bytes, from, to, at) => void (to[at] = half(bytes, from)) },
  2: { name: 'Q4_0', length: 32, bytes: 18, read: readQ4_0 },
  3: { name: 'Q4_1', length: 32, bytes: 20, read: readQ4_1 },
  6: { name: 'Q5_0', length: 32, bytes: 22, read: readQ5_0 },
  7: { name: 'Q5_1', length: 32, bytes: 24, read: readQ5_1 },
  8: { name: 'Q8_0', length: 32, bytes: 34, read: readQ8_0 },
  10: { name: 'Q2_K', length: SUPER, bytes: 84, read: readQ2_K },
  11: { name: 'Q3_K', length: SUPER, bytes: 110, read: readQ3_K },
  12: { name: 'Q4_K', length: SUPER, bytes: 144, read: readQ4_K },
  13: { name: 'Q5_K', length: SUPER, bytes: 176, read: readQ5_K },
  14: { name: 'Q6_K', length: SUPER, bytes: 210, read: readQ6_K },
  20: { name: 'IQ4_NL', length: 32, bytes: 18, read: readIQ4_NL },
  30: { name: 'BF16', length: 1, bytes: 2, read: readBrain },
};

/** Fills `to` with the numbers of whole blocks. */
export function dequantize({ bytes: blockBytes, length, read }: BlockType, bytes: Uint8Array, to: Float32Array): void {
  for (let from = 0, at = 0; at < to.length; from += blockBytes, at += length) read(bytes, from, to, at);
}

let halves: Float32Array | undefined;

/** The float16 at a place. */
function half(bytes: Uint8Array, from: number): number {
  if (halves === undefined) {
    halves = new Float32Array(65_536);
    widen(new Uint8Array(Uint16Array.from(halves, (_, bits) => bits).buffer), 'F16', halves);
  }
  return halves[bytes[from]! | (bytes[from + 1]! << 8)]!;
}

const word = new Uint32Array(1);
const wordAsFloat = new Float32Array(word.buffer);

function readFloat(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  word[0] = uint32(bytes, from);
  to[at] = wordAsFloat[0]!;
}

function readBrain(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  word[0] = (bytes[from]! << 16) | (bytes[from + 1]! << 24);
  to[at] = wordAsFloat[0]!;
}

function uint32(bytes: Uint8Array, from: number): number {
  return bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16) | (bytes[from + 3]! << 24);
}

function int8(bytes: Uint8Array, from: number): number {
  return (bytes[from]! << 24) >> 24;
}

function readQ8_0(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const scale = half(bytes, from);
  for (let i = 0; i < 32; i += 1) to[at + i] = scale * int8(bytes, from + 2 + i);
}

// The low halves of sixteen bytes are the first sixteen numbers of a block, the high halves the others.

function readQ4_0(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const scale = half(bytes, from);
  for (let i = 0; i < 16; i += 1) {
    const both = bytes[from + 2 + i]!;
    to[at + i] = scale * ((both & 15) - 8);
    to[at + 16 + i] = scale * ((both >> 4) - 8);
  }
}

function readQ4_1(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const [scale, least] = [half(bytes, from), half(bytes, from + 2)];
  for (let i = 0; i < 16; i += 1) {
    const both = bytes[from + 4 + i]!;
    to[at + i] = scale * (both & 15) + least;
    to[at + 16 + i] = scale * (both >> 4) + least;
  }
}

// The fifth bits of a block are in a word of their own.

function readQ5_0(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const scale = half(bytes, from);
  const fifth = uint32(bytes, from + 2);
  for (let i = 0; i < 16; i += 1) {
    const both = bytes[from + 6 + i]!;
    to[at + i] = scale * (((both & 15) | (((fifth >>> i) & 1) << 4)) - 16);
    to[at + 16 + i] = scale * (((both >> 4) | (((fifth >>> (i + 16)) & 1) << 4)) - 16);
  }
}

function readQ5_1(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const [scale, least] = [half(bytes, from), half(bytes, from + 2)];
  const fifth = uint32(bytes, from + 4);
  for (let i = 0; i < 16; i += 1) {
    const both = bytes[from + 8 + i]!;
    to[at + i] = scale * ((both & 15) | (((fifth >>> i) & 1) << 4)) + least;
    to[at + 16 + i] = scale * ((both >> 4) | (((fifth >>> (i + 16)) & 1) << 4)) + least;
  }
}

/** The sixteen numbers of IQ4_NL (`kvalues_iq4nl`). */
const unequalSteps = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

function readIQ4_NL(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const scale = half(bytes, from);
  for (let i = 0; i < 16; i += 1) {
    const both = bytes[from + 2 + i]!;
    to[at + i] = scale * unequalSteps[both & 15]!;
    to[at + 16 + i] = scale * unequalSteps[both >> 4]!;
  }
}

// The types below have a scale for 16 or 32 numbers, which is itself a small number times the scale of the block. Bits of
// 128 numbers lie together: byte i has those of the numbers i, i + 32, i + 64 and i + 96.

function readQ2_K(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const [scale, least] = [half(bytes, from + 80), half(bytes, from + 82)];
  for (let i = 0; i < SUPER; i += 1) {
    const own = bytes[from + (i >> 4)]!;
    const two = (bytes[from + 16 + quarter(i)]! >> (2 * ((i >> 5) & 3))) & 3;
    to[at + i] = scale * (own & 15) * two - least * (own >> 4);
  }
}

/** The byte with the two bits of number i. */
function quarter(i: number): number {
  return ((i >> 7) << 5) | (i & 31);
}

function readQ3_K(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const scale = half(bytes, from + 108);
  for (let i = 0; i < SUPER; i += 1) {
    const two = (bytes[from + 32 + quarter(i)]! >> (2 * ((i >> 5) & 3))) & 3;
    // A third bit that is not set takes 4 away.
    const third = (bytes[from + (i & 31)]! >> (i >> 5)) & 1;
    to[at + i] = scale * (scaleOfQ3_K(bytes, from + 96, i >> 4) - 32) * (two - (third === 1 ? 0 : 4));
  }
}

/** Scale k of sixteen, of 6 bits: four in the low or high half of byte k mod 8, two in one of the bytes from 8 on. */
function scaleOfQ3_K(bytes: Uint8Array, from: number, k: number): number {
  const low = (bytes[from + (k & 7)]! >> (k < 8 ? 0 : 4)) & 15;
  const high = (bytes[from + 8 + (k & 3)]! >> (2 * (k >> 2))) & 3;
  return low | (high << 4);
}

function readQ4_K(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  readFourBits(bytes, from, to, at, from + 16, () => 0);
}

function readQ5_K(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  readFourBits(bytes, from, to, at, from + 48, (i) => ((bytes[from + 16 + (i & 31)]! >> (i >> 5)) & 1) << 4);
}

/** Q4_K, and Q5_K with a fifth bit. */
function readFourBits(
  bytes: Uint8Array,
  from: number,
  to: Float32Array,
  at: number,
  fours: number,
  fifth: (i: number) => number,
): void {
  const [scale, least] = [half(bytes, from), half(bytes, from + 2)];
  for (let part = 0; part < 8; part += 1) {
    const [own, ownLeast] = scalesOfQ4_K(bytes, from + 4, part);
    const [step, lowest] = [scale * own, least * ownLeast];
    for (let i = 32 * part; i < 32 * part + 32; i += 1) {
      const four = (bytes[fours + ((part >> 1) << 5) + (i & 31)]! >> (4 * (part & 1))) & 15;
      to[at + i] = step * (four | fifth(i)) - lowest;
    }
  }
}

/** Scale and least number k of eight, of 6 bits each (`get_scale_min_k4`). */
function scalesOfQ4_K(bytes: Uint8Array, from: number, k: number): readonly [scale: number, least: number] {
  if (k < 4) return [bytes[from + k]! & 63, bytes[from + k + 4]! & 63];
  const both = bytes[from + k + 4]!;
  return [(both & 15) | ((bytes[from + k - 4]! >> 6) << 4), (both >> 4) | ((bytes[from + k]! >> 6) << 4)];
}

function readQ6_K(bytes: Uint8Array, from: number, to: Float32Array, at: number): void {
  const scale = half(bytes, from + 208);
  for (let i = 0; i < SUPER; i += 1) {
    const inPart = i & 127;
    const part = i >> 7;
    const four = (bytes[from + 64 * part + (inPart & 63)]! >> (inPart < 64 ? 0 : 4)) & 15;
    const two = (bytes[from + 128 + quarter(i)]! >> (2 * (inPart >> 5))) & 3;
    to[at + i] = scale * int8(bytes, from + 192 + (i >> 4)) * ((four | (two << 4)) - 32);
  }
}
