import { describe, expect, it } from 'vitest';

import { chooseFairly } from './choose-fairly.js';
import { FairShare } from './fair-share.js';

describe('FairShare', () => {
  it('gives one client all places, and a new client its share of them', () => {
    const places = new FairShare(10);
    expect(places.take('a', 10)).toBe(true);
    expect(places.take('a', 1)).toBe(false);
    expect(places.take('b', 6)).toBe(false);
    expect(places.take('b', 5)).toBe(true);
    expect(places.take('c', 3)).toBe(true);
    expect(places.take('c', 1)).toBe(false);
    places.giveBack('a', 10);
    expect(places.take('c', 2)).toBe(true);
  });

  it('gives a place to each of more clients than places', () => {
    const places = new FairShare(2);
    expect(['a', 'b', 'c', 'd'].map((client) => places.take(client, 1))).toEqual([true, true, true, true]);
    expect(places.take('a', 1)).toBe(false);
  });
});

describe('chooseFairly', () => {
  const items = (...clients: string[]) => clients.map((client, index) => ({ client, index }));

  it('takes all if there is room, in their order', () => {
    expect(chooseFairly(items('a', 'a', 'b'), 3).map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('takes as many of each client, the first ones, and fills up with those of clients that have more', () => {
    const chosen = chooseFairly(items('a', 'a', 'a', 'a', 'b', 'c', 'c'), 5);
    expect(chosen.map(({ index }) => index).sort()).toEqual([0, 1, 4, 5, 6]);
    expect(chooseFairly(items('a', 'b', 'c'), 2).map(({ client }) => client)).toEqual(['a', 'b']);
  });
});
