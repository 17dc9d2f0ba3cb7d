import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { createRandom, philox4x32 } from './create-random.js';

describe('philox4x32', () => {
  // Known answers of the Random123 distribution (kat_vectors, philox4x32 10).
  it.each([
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ])('answers as the reference for counter %j', (counter, key, expected) => {
    const words = Uint32Array.from(counter);
    philox4x32(words, key[0] as number, key[1] as number);
    expect([...words]).toEqual(expected);
  });
});

describe('createRandom', () => {
  it('is keyed by the first eight bytes of the SHA-256 of its path', () => {
    for (let index = 0; index < 100; index += 1) {
      const random = createRandom(5).stream('episode', index, 'turn');
      const digest = createHash('sha256').update(`5/"episode"/${index}/"turn"`).digest();
      const words = new Uint32Array(4);
      philox4x32(words, digest.readUInt32LE(0), digest.readUInt32LE(4));
      const [high, low] = words as unknown as [number, number];
      expect(random.uniform()).toBe(((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53);
    }
  });

  it('gives a substream the same numbers whatever was drawn before', () => {
    const a = createRandom(7);
    const b = createRandom(7);
    b.uniform();
    b.stream('other').uniform();
    expect(a.stream('task', 3).uniform()).toBe(b.stream('task', 3).uniform());
    expect(a.stream('task').stream(3).uniform()).toBe(createRandom(7).stream('task', 3).uniform());
  });

  it('tells paths apart that look alike', () => {
    const random = createRandom(1);
    const first = [
      random.stream('a', 1),
      random.stream('a', '1'),
      random.stream('a/1'),
      createRandom(2).stream('a', 1),
    ];
    expect(new Set(first.map((stream) => stream.uniform())).size).toBe(4);
  });

  it('draws integers evenly', () => {
    const random = createRandom(3);
    const counts = [0, 0, 0, 0, 0];
    for (let i = 0; i < 5000; i += 1) counts[random.integer(10, 15) - 10]! += 1;
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  it('draws normals with mean 0 and variance 1', () => {
    const random = createRandom(4);
    const draws = Array.from({ length: 20000 }, () => random.normal());
    const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
    const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
  });

  it('shuffles without losing anything', () => {
    expect(createRandom(5).shuffle([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(() => createRandom(5).choice([])).toThrow(RangeError);
    expect(() => createRandom(5).integer(3, 3)).toThrow(RangeError);
    expect(() => createRandom(0.5)).toThrow(RangeError);
  });
});
