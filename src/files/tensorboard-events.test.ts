import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { crc32c } from './crc32c.js';
import { TensorBoardEvents } from './tensorboard-events.js';

type Field = readonly [number: number, value: number | Buffer];

/** Reads a file as in `tensorflow/core/lib/io/record_writer.h`: length, its checksum, data, its checksum. */
function readRecords(path: string): Buffer[] {
  const file = readFileSync(path);
  const records: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const length = Number(file.readBigUInt64LE(at));
    expect(unmask(file.readUInt32LE(at + 8))).toBe(crc32c(file.subarray(at, at + 8)));
    const data = file.subarray(at + 12, at + 12 + length);
    expect(unmask(file.readUInt32LE(at + 12 + length))).toBe(crc32c(data));
    records.push(data);
    at += 16 + length;
  }
  return records;
}

/** The inverse that TensorFlow gives next to its mask: subtract, then rotate back. */
function unmask(masked: number): number {
  const rotated = (masked - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

/** Parses the wire format of protocol buffers: a key, then a varint, 8 bytes, a length with bytes, or 4 bytes. */
function readFields(data: Buffer): Field[] {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  const fields: Field[] = [];
  while (at < data.length) {
    const key = varint();
    if ((key & 7) === 0) {
      fields.push([key >> 3, varint()]);
    } else {
      const length = { 1: 8, 2: -1, 5: 4 }[key & 7]!;
      const size = length === -1 ? varint() : length;
      fields.push([key >> 3, data.subarray(at, at + size)]);
      at += size;
    }
  }
  return fields;
}

const field = (data: Buffer, number: number) => readFields(data).find(([found]) => found === number)?.[1];

it('writes records that another reader of the format reads back', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-events-'));
  const events = new TensorBoardEvents(folder);
  events.scalars(300, { 'train/loss/rl': 0.25, größe: Infinity });
  events.scalars(2 ** 33, { 'train/loss/rl': -2 });
  events.close();
  const [name] = readdirSync(folder);
  const [version, first, second] = readRecords(join(folder, name!));
  expect(String(field(version!, 3))).toBe('brain.Event:2');
  expect((field(first!, 1) as Buffer).readDoubleLE()).toBeCloseTo(Date.now() / 1000, -2);
  expect(field(first!, 2)).toBe(300);
  const values = readFields(field(first!, 5) as Buffer).map(([, value]) => value as Buffer);
  expect(values.map((value) => [String(field(value, 1)), (field(value, 2) as Buffer).readFloatLE()])).toEqual([
    ['train/loss/rl', 0.25],
    ['größe', Infinity],
  ]);
  expect(field(second!, 2)).toBe(2 ** 33);
});

it('begins a resumed session in a later file, with the step from which older ones are to be forgotten', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-events-'));
  new TensorBoardEvents(folder).close();
  const [first] = readdirSync(folder);
  new TensorBoardEvents(folder, 51).close();
  const names = readdirSync(folder).sort();
  expect(names[0]).toBe(first);
  const [, start] = readRecords(join(folder, names[1]!));
  expect(field(start!, 2)).toBe(51);
  // SessionLog.status = START
  expect(field(field(start!, 7) as Buffer, 1)).toBe(1);
});
