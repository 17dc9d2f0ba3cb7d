import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { writeSafetensors } from './fixtures/model-folders.js';
import { openSafetensors, readSafetensors, sourceOf, writeTensors } from './safetensors.js';

const { files } = testHost();
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
    const { tensors, metadata } = await readSafetensors(files, original);
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

  it.each([0, 5, 60, 2000, 9000])('says that a file cut after %i bytes is truncated, and names it', async (length) => {
    const path = temporary();
    writeFileSync(path, readFileSync(original));
    truncateSync(path, length);
    await expect(readSafetensors(files, path)).rejects.toThrow(`${path} is damaged: it is truncated`);
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
    [
      'tensors that overlap',
      { a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] }, b: { dtype: 'F16', shape: [3], data_offsets: [2, 8] } },
      /the bytes of b overlap those of a/,
    ],
    [
      'bytes between tensors',
      { a: { dtype: 'F16', shape: [1], data_offsets: [0, 2] }, b: { dtype: 'F32', shape: [1], data_offsets: [4, 8] } },
      /no tensor has the 2 bytes before b/,
    ],
    ['bytes after the tensors', { a: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } }, /4 bytes follow the last/],
    [
      'a tensor that ends after the file',
      { a: { dtype: 'F32', shape: [3], data_offsets: [0, 12] } },
      /it is truncated: it has \d+ of \d+ bytes/,
    ],
    ['an entry that is no object', { a: null }, /a has no dtype; supported: F32/],
    ['a header that is a list', '[]', /header is not a JSON object/],
    ['a header that is no JSON', '{"a"', /header is not a JSON object/],
  ])('refuses %s', async (_, header, message) => {
    const path = fileWith(header, 8);
    if (message.source.startsWith('does')) writeFileSync(path, header as string);
    await expect(readSafetensors(files, path)).rejects.toThrow(message);
  });
});

it('refuses a header of 1 GB before it takes memory for it', async () => {
  const path = temporary();
  const bytes = Buffer.alloc(64);
  bytes.writeBigUInt64LE(2n ** 30n);
  writeFileSync(path, bytes);
  await expect(readSafetensors(files, path)).rejects.toThrow(/its first bytes say 1073741824 bytes of header/);
});

describe('openSafetensors', () => {
  it('give the numbers of a file in pieces, in any order', async () => {
    const { tensors: sources } = await openSafetensors(files, original);
    const { tensors } = await readSafetensors(files, original);
    for (const [name, { data }] of [...tensors].reverse()) {
      const numbers: number[] = [];
      for await (const piece of sources.get(name)!.pieces()) numbers.push(...piece);
      expect(Float32Array.from(numbers)).toEqual(data);
    }
  });
});

describe('writeTensors', () => {
  it('says which number is too large for float16, and stores it as bfloat16', async () => {
    const path = temporary();
    const tensors = new Map([['a', sourceOf('a', { shape: [2], data: new Float32Array([1, -70000]) })]]);
    await expect(writeTensors(path, tensors, {}, 'F16')).rejects.toThrow(/a has the number -70000, which is too large/);
    await writeTensors(path, tensors, {}, 'BF16');
    expect([...(await readSafetensors(files, path)).tensors.get('a')!.data]).toEqual([1, -70144]);
  });

  it('stores a tensor in its own type, beside others', async () => {
    const path = temporary();
    const source = () => sourceOf('', { shape: [1], data: Float32Array.of(-70000) });
    const tensors = new Map([
      ['a', source()],
      ['b', { ...source(), type: 'BF16' as const }],
      ['c', source()],
    ]);
    await writeTensors(path, tensors, {}, 'F32');
    const { tensors: read } = await readSafetensors(files, path);
    expect([...read].map(([name, { data }]) => [name, ...data])).toEqual([
      ['a', -70000],
      ['b', -70144],
      ['c', -70000],
    ]);
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
    const read = await readSafetensors(files, path);
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
