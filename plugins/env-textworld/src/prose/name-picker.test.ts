import { describe, expect, it } from 'vitest';

import { NumpyRandom } from '../generate/numpy-random.js';
import { kindWords, roomTypes, type Kind } from './house-words.js';
import { NameBook } from './name-book.js';
import { NamePicker } from './name-picker.js';

const thing = (kind: Kind) => ({ kind, roomType: undefined, isPaired: false, shared: undefined, noun: undefined });

function conflicts(names: readonly string[]): string[] {
  const book = new NameBook();
  return names.filter((name) => {
    const isFree = book.isFree(name);
    book.add(name);
    return !isFree;
  });
}

describe('NameBook', () => {
  it('refuses names that have all words of another one or the other way round', () => {
    const book = new NameBook();
    book.add('old brass key');
    for (const name of ['old brass key', 'brass key', 'key', 'key old brass', 'very old brass key', 'Brass Key']) {
      expect([name, book.isFree(name)]).toEqual([name, false]);
    }
    for (const name of ['old key chain', 'brass lock', 'keycard'])
      expect([name, book.isFree(name)]).toEqual([name, true]);
  });
});

describe('NamePicker', () => {
  it('names hundreds of rooms', () => {
    const random = new NumpyRandom(3);
    const picker = new NamePicker(random, { rooms: 300, things: {}, pairs: 0 });
    const names = Array.from({ length: 300 }, () => picker.room(random.choice(roomTypes)).name);
    expect(conflicts(names)).toEqual([]);
    expect(names.filter((name) => /\d/.test(name))).toEqual([]);
  });

  it('gives few rooms names without adjective, of their type as long as there are any', () => {
    const picker = new NamePicker(new NumpyRandom(3), { rooms: 12, things: {}, pairs: 0 });
    const names = Array.from({ length: 13 }, () => picker.room('cook'));
    expect(names.every(({ adjective }) => adjective === null)).toBe(true);
    expect(names.map(({ name }) => name)).toContain('kitchen');
    expect(conflicts(names.map(({ name }) => name))).toEqual([]);
  });

  it('numbers things only when no words are left', () => {
    const picker = new NamePicker(new NumpyRandom(5), { rooms: 1, things: {}, pairs: 0 });
    const names = Array.from({ length: 700 }, () => picker.thing(thing('container')).name);
    expect(conflicts(names)).toEqual([]);
    const first = names.findIndex((name) => /\d/.test(name));
    expect(first).toBeGreaterThan(500);
    expect(names.slice(first).every((name) => /\d/.test(name))).toBe(true);
  });

  it('keeps the adjectives of keys for what they fit', () => {
    const picker = new NamePicker(new NumpyRandom(8), { rooms: 1, things: {}, pairs: 35 });
    const names: string[] = [];
    const paired = new Set<string>();
    for (let pair = 0; pair < 35; pair++) {
      const lock = picker.thing({ ...thing('container'), isPaired: true });
      const key = picker.thing({ ...thing('key'), isPaired: true, shared: lock.adjective ?? undefined });
      expect(key.adjective).toBe(lock.adjective);
      paired.add(lock.adjective as string);
      const other = picker.thing(thing(pair % 2 === 0 ? 'object' : 'container'));
      expect(paired.has(other.adjective ?? '')).toBe(false);
      names.push(lock.name, key.name, other.name);
    }
    expect(paired.size).toBe(35);
    expect(conflicts(names)).toEqual([]);
  });

  it('finds names where nouns without adjective are taken', () => {
    const picker = new NamePicker(new NumpyRandom(9), { rooms: 1, things: { object: 60 }, pairs: 0 });
    for (const noun of kindWords.object.anywhere.slice(1)) picker.reserve(noun);
    const names = Array.from({ length: 60 }, () => picker.thing(thing('object')).name);
    expect(conflicts([...kindWords.object.anywhere.slice(1), ...names])).toEqual([]);
  });

  it('avoids names that are taken, and their adjectives', () => {
    const taken = ['table', 'shelf', 'bench', 'old desk', 'plain round chair'];
    const picker = new NamePicker(new NumpyRandom(2), { rooms: 1, things: {}, pairs: 0 });
    for (const name of taken) picker.reserve(name);
    const names = Array.from({ length: 14 }, () => picker.thing(thing('supporter')));
    expect(conflicts([...taken, ...names.map(({ name }) => name)])).toEqual([]);
    expect(names.filter(({ adjective }) => ['old', 'plain', 'round'].includes(adjective ?? ''))).toEqual([]);
  });
});
