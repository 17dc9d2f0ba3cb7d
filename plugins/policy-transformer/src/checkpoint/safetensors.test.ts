import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { readSafetensors, writeSafetensors } from './safetensors.js';

const original = fileURLToPath(new URL('./fixtures/types.safetensors', import.meta.url));
const temporary = () => join(mkdtempSync(join(tmpdir(), 'agentgym-safetensors-')), 'file.safetensors');

/** A file with this header and this many bytes after it. */
function fileWith(header: unknown, bytes: number): string {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const path = temporary();
  writeFileSync(path, Buffer.concat([length, text, Buffer.alloc(bytes)]));
  return path;
}

describe('readSafetensors', () => {
  it('reads what the original library wrote, halves widened', async () => {
    const { tensors, metadata } = await readSafetensors(original);
    expect(metadata).toEqual({ made: 'here' });
    expect(tensors.get('f32')!.shape).toEqual([2, 3]);
    expect([...tensors.get('f32')!.data]).toEqual([1.5, -0, Infinity, 3.4e38, 1e-45, 7].map(Math.fround));
    for (const name of ['bf16', 'f16']) {
      expect(tensors.get(name)!.data.length).toBeGreaterThan(1500);
      expect(tensors.get(name)!.data).toEqual(tensors.get(`${name}.expected`)!.data);
    }
    const small = [2 ** -24, -(2 ** -24), 2 ** -14, 1023 * 2 ** -24, 65504, NaN];
    expect([...tensors.get('f16.small')!.data]).toEqual(small);
  });

  it('reads only what is wanted', async () => {
    const { tensors } = await readSafetensors(original, (name) => name === 'f32');
    expect([...tensors.keys()]).toEqual(['f32']);
  });

  it.each([0, 5, 60, 2000, 9000])('says that a file cut after %i bytes is truncated, and names it', async (length) => {
    const path = temporary();
    writeFileSync(path, readFileSync(original));
    truncateSync(path, length);
    await expect(readSafetensors(path)).rejects.toThrow(`${path} is damaged: it is truncated`);
  });

  it.each([
    ['text', 'hello world, this is no tensor file', /does not start with a header/],
    [
      'a type that cannot be read',
      { a: { dtype: 'I64', shape: [1], data_offsets: [0, 8] } },
      /a is stored as I64; supported: F32/,
    ],
    [
      'a place that does not fit',
      { a: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } },
      /byte range of a does not match/,
    ],
    [
      'a negative place',
      { a: { dtype: 'F32', shape: [1], data_offsets: [-4, 0] } },
      /header entry of a cannot be read/,
    ],
    ['a header that is a list', '[]', /header is not a JSON object/],
    ['a header that is no JSON', '{"a"', /header is not a JSON object/],
  ])('refuses %s', async (_, header, message) => {
    const path = fileWith(header, 8);
    if (message.source.startsWith('does')) writeFileSync(path, header as string);
    await expect(readSafetensors(path)).rejects.toThrow(message);
  });
});

describe('writeSafetensors', () => {
  it('gives back every bit, also of numbers that are none, and the order', async () => {
    const path = temporary();
    const bits = new Uint32Array([0x7fc00001, 0xff800000, 0x80000000, 1, 0x7f7fffff, 0x3f800000]);
    const tensors = new Map([
      ['z', { shape: [2, 3], data: new Float32Array(bits.buffer) }],
      ['a', { shape: [], data: new Float32Array([4]) }],
      ['empty', { shape: [0, 5], data: new Float32Array(0) }],
    ]);
    await writeSafetensors(path, { tensors, metadata: { format: 'pt' } });
    const read = await readSafetensors(path);
    expect([...read.tensors.keys()]).toEqual(['z', 'a', 'empty']);
    expect(read.tensors.get('a')).toEqual({ shape: [], data: new Float32Array([4]) });
    expect(new Uint32Array(read.tensors.get('z')!.data.buffer)).toEqual(bits);
    expect(read.metadata).toEqual({ format: 'pt' });
  });

  it('refuses a tensor whose data does not fill its shape', async () => {
    const tensors = new Map([['a', { shape: [2], data: new Float32Array(3) }]]);
    await expect(writeSafetensors(temporary(), { tensors, metadata: {} })).rejects.toThrow(/a has 3 numbers/);
  });
});
