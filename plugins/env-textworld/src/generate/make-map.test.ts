import { describe, expect, it } from 'vitest';
import { makeMap } from './make-map.js';
import { NumpyRandom } from './numpy-random.js';

describe('makeMap', () => {
  it('connects as many rooms as asked for', () => {
    for (const count of [1, 2, 7, 40]) {
      const { roomCount, passages } = makeMap(new NumpyRandom(count), count);
      expect(roomCount).toBe(count);
      const reached = new Set([0]);
      for (const _ of passages) {
        for (const { from, to } of passages) {
          if (reached.has(from)) reached.add(to);
          if (reached.has(to)) reached.add(from);
        }
      }
      expect(reached.size).toBe(count);
    }
  });

  it('lays out the same map with and without doors', () => {
    const ways = (doorStates?: readonly 'open'[]): unknown[] =>
      makeMap(new NumpyRandom(6), 12, doorStates).passages.map(({ from, to, direction }) => [from, to, direction]);
    expect(ways([])).toEqual(ways());
    expect(ways(['open'])).toEqual(ways());
  });

  it('draws the states of doors from those given and numbers doors from 0', () => {
    const doors = makeMap(new NumpyRandom(6), 20, ['open']).passages.flatMap(({ door }) => door ?? []);
    expect(doors.length).toBeGreaterThan(3);
    expect(new Set(doors.map(({ state }) => state))).toEqual(new Set(['open']));
    expect(doors.map(({ id }) => id).sort()).toEqual(doors.map((_, index) => `d_${index}`).sort());
    expect(makeMap(new NumpyRandom(6), 20, []).passages.some(({ door }) => door)).toBe(false);
  });

  it('never puts a door into a world of two rooms', () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(makeMap(new NumpyRandom(seed), 2).passages).toHaveLength(1);
      expect(makeMap(new NumpyRandom(seed), 2).passages[0]?.door).toBeUndefined();
    }
  });
});
