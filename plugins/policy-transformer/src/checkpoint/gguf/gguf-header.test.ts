import { closeSync, ftruncateSync, mkdtempSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readGgufHeader } from './gguf-header.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-header-'));
const path = join(folder, 'model.gguf');

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number | bigint) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const field = (name: string, type: number, ...value: Buffer[]) => Buffer.concat([text(name), u32(type), ...value]);
const alignment = (value: number) => field('general.alignment', 4, u32(value));

interface Tensor {
  readonly name?: string;
  /** The innermost first. */
  readonly sizes?: readonly (number | bigint)[];
  readonly type?: number;
  readonly offset?: number | bigint;
}
const tensor = ({ name = 'a', sizes = [8], type = 0, offset = 0 }: Tensor) =>
  Buffer.concat([text(name), u32(sizes.length), ...sizes.map(u64), u32(type), u64(offset)]);

/** A file whose parts may lie. */
function made(
  fields: readonly Buffer[],
  tensors: readonly Tensor[],
  { version = 3, counts = [tensors.length, fields.length] as readonly (number | bigint)[], data = 64, align = 32 } = {},
): Buffer {
  const head = [Buffer.from('GGUF'), u32(version), ...counts.map(u64), ...fields, ...tensors.map(tensor)];
  const header = Buffer.concat(head);
  const rest = Math.ceil(header.length / align) * align - header.length;
  return Buffer.concat([header, Buffer.alloc(rest + data)]);
}

async function read(bytes: Uint8Array) {
  writeFileSync(path, bytes);
  return readFile();
}

async function readFile() {
  const file = await open(path);
  try {
    return await readGgufHeader(file, path);
  } finally {
    await file.close();
  }
}

describe('the header of a GGUF file', () => {
  const whole = made(
    [field('x', 8, text('éa')), field('list', 9, u32(8), u64(2), text('one'), text('')), field('n', 10, u64(7))],
    [{ name: 'a' }, { name: 'b', sizes: [4, 2], offset: 32 }],
  );

  it('is read, also with 4,096 bytes between the places of tensors', async () => {
    const { entries, fields } = await read(whole);
    expect(Object.fromEntries(fields)).toEqual({ x: 'éa', list: ['one', ''], n: 7 });
    expect(entries.get('b')!.shape).toEqual([2, 4]);
    const wide = made([alignment(4096)], [{}, { name: 'b', offset: 4096 }], { data: 4128, align: 4096 });
    expect((await read(wide)).entries.get('b')!.start).toBe(8192);
  });

  it('is refused wherever it is cut', async () => {
    for (let length = 0; length < whole.length; length += 1) {
      await expect(read(whole.subarray(0, length)), `${length} bytes`).rejects.toThrow(
        /is damaged: it (?:is truncated|says that it has)|is not a GGUF file/,
      );
    }
  });

  it.each<[string, Buffer, RegExp]>([
    ['version 1', made([], [], { version: 1 }), /GGUF of version 1; versions 2 and 3 are read. Convert/],
    ['version 99', made([], [], { version: 99 }), /GGUF of version 99/],
    ['big-endian numbers', made([], [], { version: 0x03000000 }), /big-endian/],
    ['2^60 tensors', made([], [], { counts: [2n ** 60n, 0] }), /the number of tensors is 1152921504606846976/],
    ['2^60 keys', made([], [], { counts: [0, 2n ** 60n] }), /the number of metadata is/],
    ['2^40 items', made([field('x', 9, u32(0), u64(2 ** 40))], []), /x, more than 4000000/],
    ['2^63 items', made([field('x', 9, u32(8), u64(2n ** 63n))], []), /the number of items in x is/],
    [
      'a list of lists',
      made([field('x', 9, ...Array.from({ length: 1000 }, () => [u32(9), u64(1)]).flat())], []),
      /x is a list of lists/,
    ],
    ['a text of 2 GB', made([field('x', 8, u64(2 ** 31))], []), /x has 2147483648 bytes, more than/],
    ['a name of 2^63 bytes', made([u64(2n ** 63n)], []), /the length of a name of the metadata is/],
    ['a value of type 13', made([field('x', 13, u64(0))], []), /x has a value of type 13, which nobody knows/],
    ['a key twice', made([field('x', 4, u32(1)), field('x', 4, u32(2))], []), /the metadata has "x" twice/],
    [
      'parts',
      made([field('split.count', 2, Buffer.of(2, 0))], []),
      /one of 2 parts of a model.*llama-gguf-split --merge/,
    ],
    ['alignment 0', made([alignment(0)], []), /general.alignment is 0, not a multiple of 8/],
    ['alignment 1', made([alignment(1)], []), /general.alignment is 1/],
    ['alignment 7', made([alignment(7)], []), /general.alignment is 7/],
    ['alignment 2^63', made([field('general.alignment', 10, u64(2n ** 63n))], [{}]), /truncated: a ends at byte/],
    ['a text as alignment', made([field('general.alignment', 8, text('32'))], []), /general.alignment is "32"/],
    ['an unknown type', made([], [{ type: 99 }]), /a has the type 99, which nobody knows here; supported: F32/],
    ['a type that is not read', made([], [{ type: 16 }]), /a has the type IQ2_XXS; supported/],
    ['no size', made([], [{ sizes: [] }]), /a has 0 sizes/],
    ['five sizes', made([], [{ sizes: [1, 1, 1, 1, 1] }]), /a has 5 sizes/],
    ['a size of 0', made([], [{ sizes: [8, 0] }]), /a has a size of 0/],
    ['a size of 2^63', made([], [{ sizes: [2n ** 63n] }]), /a size of a is 9223372036854775808/],
    ['sizes whose product is beyond 2^64', made([], [{ sizes: [2 ** 50, 2 ** 50] }]), /truncated: a ends at byte/],
    ['rows that blocks do not fill', made([], [{ sizes: [33], type: 2 }]), /rows of a have 33 numbers/],
    ['a tensor beyond the end', made([], [{ offset: 64 }]), /truncated: a ends at byte/],
    ['a place of 2^63', made([], [{ offset: 2n ** 63n }]), /the place of a is/],
    ['a place between', made([], [{ offset: 8 }]), /a starts between multiples of 32/],
    [
      'tensors that overlap',
      made([], [{ sizes: [16] }, { name: 'b', offset: 32 }]),
      /the bytes of b overlap those of a/,
    ],
    ['two tensors of one name', made([], [{}, { offset: 32 }]), /two tensors have the name a/],
  ])('with %s is refused', async (_, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
  });

  // Goes red when the file alone says how much is read: these have holes of gigabytes, in which every number is 0.
  it.each<[string, Buffer, RegExp]>([
    [
      'items',
      Buffer.concat([made([], [], { counts: [0, 1], data: 0 }).subarray(0, 24), field('x', 9, u32(0), u64(2 ** 32))]),
      /items in x, more than/,
    ],
    ['keys', made([], [], { counts: [0, 2 ** 28] }).subarray(0, 24), /metadata, more than/],
    ['tensors', made([], [], { counts: [2 ** 27, 0] }).subarray(0, 24), /tensors, more than/],
  ])('of a file that is as long as it says is limited: %s', async (_, bytes, message) => {
    const file = openSync(path, 'w');
    writeSync(file, bytes);
    ftruncateSync(file, 2 ** 33);
    closeSync(file);
    await expect(readFile()).rejects.toThrow(message);
  });

  it('of many long texts is limited', async () => {
    const long = 16 * 1024 * 1024;
    const file = openSync(path, 'w');
    let place = writeSync(
      file,
      Buffer.concat([made([], [], { counts: [0, 1] }).subarray(0, 24), text('x'), u32(9), u32(8), u64(40)]),
    );
    for (let left = 40; left > 0; left -= 1, place += 8 + long) writeSync(file, u64(long), 0, 8, place);
    ftruncateSync(file, place);
    closeSync(file);
    await expect(readFile()).rejects.toThrow(/before its numbers has more than 268435456 bytes/);
  });
});
