import type { Random } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { placePrefixes, placeSequences, rowsOfPrefixes } from './place-rows.js';
import { orderByPrefix } from './prefix-order.js';

// Goes red when sequences overlap, or when a row with room is passed over.
it('places sequences without overlap, in few rows', () => {
  const { random } = testHost();
  for (let trial = 0; trial < 50; trial += 1) {
    const width = random.integer(10, 100);
    const lengths = Array.from({ length: random.integer(1, 60) }, () => random.integer(1, width + 1));
    lengths.sort((a, b) => b - a);
    const { paths, rows } = placeSequences(lengths, width);
    const used = new Uint8Array(rows * width);
    for (const [sequence, path] of paths.entries()) {
      expect(path).toHaveLength(lengths[sequence]!);
      expect(Math.floor(path[0]! / width)).toBe(Math.floor(path.at(-1)! / width));
      for (const place of path) used[place]! += 1;
    }
    expect(Math.max(...used)).toBe(1);
    const fewest = Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / width);
    expect(rows).toBeLessThanOrEqual(2 * fewest);
    expect(rows).toBeLessThanOrEqual(lengths.length);
  }
});

it('fills a row before it opens another', () => {
  const { paths, rows } = placeSequences([8, 5, 5, 3, 2], 10);
  expect(paths.map((path) => path[0])).toEqual([0, 10, 15, 20, 8]);
  expect(rows).toBe(3);
});

/** Sequences of few different tokens, so that many begin alike. */
function sequencesOf(random: Random): number[][] {
  return Array.from({ length: random.integer(1, 40) }, () =>
    Array.from({ length: random.integer(1, 12) }, () => random.integer(0, 2)),
  );
}

// Goes red when a place is shared by sequences with different tokens before it, or not shared within a row.
it('gives tokens with equal tokens before them one place in a row', () => {
  const { random } = testHost();
  for (let trial = 0; trial < 100; trial += 1) {
    const sequences = sequencesOf(random);
    const lengths = sequences.map(({ length }) => length);
    const order = orderByPrefix(sequences);
    const width = random.integer(12, 60);
    const { paths, shared, rows } = placePrefixes(lengths, order, width);
    expect(rowsOfPrefixes(lengths, order, width)).toBe(rows);
    const held = new Map<number, string>();
    const placed = new Set<string>();
    const own = new Set<number>();
    for (const [sequence, path] of paths.entries()) {
      expect(path).toHaveLength(lengths[sequence]!);
      for (const [position, place] of path.entries()) {
        if (position > 0) expect(place).toBeGreaterThan(path[position - 1]!);
        const row = Math.floor(place / width);
        expect(row).toBe(Math.floor(path[0]! / width));
        const before = sequences[sequence]!.slice(0, position + 1).join();
        expect(held.get(place) ?? before).toBe(before);
        held.set(place, before);
        placed.add(`${row} ${before}`);
        if (position >= shared[sequence]!) {
          expect(own.has(place)).toBe(false);
          own.add(place);
        }
      }
    }
    expect(held.size).toBe(placed.size);
    // Every place is somebody's own.
    expect(own.size).toBe(held.size);
    expect(Math.max(...held.keys())).toBeLessThan(rows * width);
  }
});

it('places nothing in no rows', () => {
  expect(placePrefixes([], orderByPrefix([]), 10)).toMatchObject({ paths: [], rows: 0 });
});
