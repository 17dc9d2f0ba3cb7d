import { createHash } from 'node:crypto';

import { expect, it } from 'vitest';

import { hashId } from './hash-id.js';

it('is made of the first bytes of the SHA-256 of key and id', () => {
  for (const [id, key] of [
    ['train/17', ''],
    ['é🎲', 'key'],
  ] as const) {
    const digest = createHash('sha256').update(`${key}\n${id}`).digest();
    const bits = (digest.readBigUInt64LE(4) & 0xffffffffn) >> 5n;
    const draw = Number((bits << 26n) | (BigInt(digest.readUInt32LE(8)) >> 6n)) / 2 ** 53;
    expect(hashId(id, key)).toEqual({ word: digest.readUInt32LE(0), draw });
  }
});

it('draws evenly, and otherwise for another key', () => {
  const draws = (key: string) => Array.from({ length: 10_000 }, (_, n) => hashId(`train/${n}`, key).draw);
  for (const key of ['', 'b']) {
    const counts = new Array<number>(20).fill(0);
    for (const draw of draws(key)) counts[Math.floor(draw * 20)]! += 1;
    for (const count of counts) expect(Math.abs(count - 500)).toBeLessThan(5 * Math.sqrt(500));
  }
  const [one, other] = [draws(''), draws('b')];
  const both = one.filter((draw, n) => draw < 0.1 && other[n]! < 0.1).length;
  expect(Math.abs(both - 100)).toBeLessThan(50);
});
