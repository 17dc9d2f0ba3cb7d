import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { blockTypes, dequantize } from './dequantize.js';

const recorded = JSON.parse(readFileSync(new URL('./fixtures/blocks.json', import.meta.url), 'utf8')) as {
  readonly [name: string]: { readonly bytes: string; readonly numbers: string };
};
const typeOf = (name: string) => Object.values(blockTypes).find((type) => type.name === name)!;

test.each(Object.entries(recorded))(
  '%s has the numbers of the package gguf, bit for bit',
  (name, { bytes, numbers }) => {
    const expected = Uint8Array.from(Buffer.from(numbers, 'base64'));
    const read = new Float32Array(expected.length / 4);
    const type = typeOf(name);
    const blocks = Uint8Array.from(Buffer.from(bytes, 'base64'));
    expect(blocks.length * type.length).toBe(read.length * type.bytes);
    dequantize(type, blocks, read);
    expect(new Uint8Array(read.buffer)).toEqual(expected);
  },
);

test('numbers of 16 and 32 bits are read as they are', () => {
  const read = (name: string, bytes: number[]) => {
    const to = new Float32Array(bytes.length / typeOf(name).bytes);
    dequantize(typeOf(name), Uint8Array.from(bytes), to);
    return [...to];
  };
  expect(read('F16', [0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00])).toEqual([1, -2, 2 ** -24]);
  expect(read('BF16', [0x80, 0x3f, 0x00, 0xc0])).toEqual([1, -2]);
  expect(read('F32', [0x00, 0x00, 0xc0, 0x3f])).toEqual([1.5]);
});
