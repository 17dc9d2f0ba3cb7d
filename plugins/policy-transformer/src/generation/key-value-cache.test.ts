import { describe, expect, it } from 'vitest';

import { type CachedSequence, KeyValueCache } from './key-value-cache.js';

const shape = { layers: 1, keyValueHeads: 2, headWidth: 1 };
const length = 3;

/** A sequence whose keys and values are all `mark` after `remember`. */
function sequence(mark: number): CachedSequence {
  return { name: String(mark), slot: -1, tokens: [], pieces: [], used: 0 };
}

function remember(cache: KeyValueCache, one: CachedSequence): void {
  const marks = new Float32Array(shape.keyValueHeads * length).fill(Number(one.name));
  cache.write(one, 0, marks, marks, 0, length, length);
  one.tokens.push(...Array<number>(length).fill(0));
}

/** Whether the slot of the sequence contains its keys and values. */
function isKept(cache: KeyValueCache, { name, slot }: CachedSequence): boolean {
  const marks = [cache.keys, cache.values].flatMap(([array]) =>
    [0, 1].flatMap((head) => {
      const start = slot * cache.slotSize + head * cache.capacity * shape.headWidth;
      return [...array!.subarray(start, start + length)];
    }),
  );
  return slot < cache.slots && marks.length === 4 * length && marks.every((mark) => mark === Number(name));
}

describe('KeyValueCache.arrange', () => {
  it('keeps who is in the way where the slots outside belong to those that move in', () => {
    const cache = new KeyValueCache(shape);
    const [other, gone, goneToo, first, second, fresh] = [1, 2, 3, 4, 5, 6].map(sequence) as [
      CachedSequence,
      CachedSequence,
      CachedSequence,
      CachedSequence,
      CachedSequence,
      CachedSequence,
    ];
    cache.reserve(5, 32);
    cache.arrange([other, gone, goneToo, first, second], 0);
    for (const one of [other, first, second]) remember(cache, one);
    for (const one of [gone, goneToo]) cache.vacate(one);

    cache.arrange([fresh, first, second], 0);
    expect([other, first, second].map((one) => isKept(cache, one))).toEqual([true, true, true]);
  });

  it('brings any of them together, and loses nothing', () => {
    const cache = new KeyValueCache(shape);
    let [seed, names] = [1, 0];
    const below = (limit: number) => (seed = (48_271 * seed) % 2_147_483_647) % limit;
    let live: CachedSequence[] = [];
    for (let round = 0; round < 500; round += 1) {
      for (const one of live.filter(() => below(8) === 0)) cache.vacate(one);
      live = live.filter(({ slot }) => slot >= 0);
      const fresh = Array.from({ length: below(5) }, () => sequence((names += 1)));
      const wave = [...fresh, ...live.filter(() => below(2) === 0)];
      cache.reserve(live.length + fresh.length + 1, 32);
      cache.arrange(wave, 0);
      for (const one of fresh) remember(cache, one);
      live.push(...fresh);
      expect(wave.map(({ slot }) => slot).sort((a, b) => a - b)).toEqual(wave.map((_, slot) => slot));
      expect(live.filter((one) => !isKept(cache, one))).toEqual([]);
    }
  });
});
