import { describe, expect, it } from 'vitest';

import { HostCache } from '../executors/host-cache.js';
import { type CachedSequence, KeyValueCache } from './key-value-cache.js';

/** A cache in the memory of the process, as executors on the CPU have it. */
function newCache() {
  const host = new HostCache(shape);
  const rowRules = { leastRows: 2, mostFewRows: 16, widthMultiple: 8, capacityMultiple: 32, allowsEmptyCache: true };
  return { host, cache: new KeyValueCache(shape, { allocateCache: () => host, rowRules }) };
}
type Made = ReturnType<typeof newCache>;

const shape = { layers: 1, keyValueHeads: 2, headWidth: 1 };
const length = 3;

/** A sequence whose keys and values are all `mark` after `remember`. */
function sequence(mark: number): CachedSequence {
  return { name: String(mark), slot: -1, tokens: [], pieces: [], used: 0 };
}

function remember({ host, cache }: Made, one: CachedSequence): void {
  const marks = new Float32Array(shape.keyValueHeads * length).fill(Number(one.name));
  for (const name of ['keys.0', 'values.0']) host.append(name, marks, [cache.end(one, length)]);
  one.tokens.push(...Array<number>(length).fill(0));
}

/** Whether the slot of the sequence contains its keys and values. */
function isKept({ host }: Made, { name, slot }: CachedSequence): boolean {
  const marks = ['keys.0', 'values.0'].flatMap((array) =>
    [0, 1].flatMap((head) => {
      const start = head * host.capacity * shape.headWidth;
      return [
        ...host
          .window(slot, 1)
          .view([array])!
          .subarray(start, start + length),
      ];
    }),
  );
  return slot < host.slots && marks.length === 4 * length && marks.every((mark) => mark === Number(name));
}

describe('KeyValueCache.arrange', () => {
  it('keeps who is in the way where the slots outside belong to those that move in', () => {
    const made = newCache();
    const { cache } = made;
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
    for (const one of [other, first, second]) remember(made, one);
    for (const one of [gone, goneToo]) cache.vacate(one);

    cache.arrange([fresh, first, second], 0);
    expect([other, first, second].map((one) => isKept(made, one))).toEqual([true, true, true]);
  });

  it('brings any of them together, and loses nothing', () => {
    const made = newCache();
    const { cache } = made;
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
      for (const one of fresh) remember(made, one);
      live.push(...fresh);
      expect(wave.map(({ slot }) => slot).sort((a, b) => a - b)).toEqual(wave.map((_, slot) => slot));
      expect(live.filter((one) => !isKept(made, one))).toEqual([]);
    }
  });

  // Goes red when `reserve` moves rows from the start, or forgets one.
  it('keeps everything when slots become longer or more', () => {
    const made = newCache();
    const { cache, host } = made;
    const live = [1, 2, 3].map(sequence);
    cache.reserve(4, 32);
    cache.arrange(live, 0);
    for (const one of live) remember(made, one);
    for (const [slots, capacity] of [
      [4, 64],
      [9, 64],
      [9, 320],
    ] as const) {
      cache.reserve(slots, capacity);
      expect(host.capacity).toBe(capacity);
      expect(live.map((one) => isKept(made, one))).toEqual([true, true, true]);
    }
  });
});
