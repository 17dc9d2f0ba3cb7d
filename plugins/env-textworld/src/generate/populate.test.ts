import { describe, expect, it } from 'vitest';
import { houseLogic } from '../logic/house-logic.js';
import type { Fact } from '../logic/logic.js';
// Made by `populate_with` of textworld 1.7.0.
import recorded from './fixtures/populated.json' with { type: 'json' };
import { makeMap, type DoorState } from './make-map.js';
import { NumpyRandom } from './numpy-random.js';
import { populate, populateWith } from './populate.js';
import { sortFacts } from './sort-facts.js';
import { mapFacts } from './world-facts.js';

const { types } = houseLogic();

function texts(facts: readonly Fact[]): string[] {
  return sortFacts(facts).map(({ name, entities }) => `${name}(${entities.map((e) => `${e.id}:${e.type}`).join(',')})`);
}

describe('populate', () => {
  const map = mapFacts(makeMap(new NumpyRandom(2), 4));

  it('adds as many things as asked for', () => {
    for (const count of [0, 1, 25]) {
      const added = populate(map, count, types, new NumpyRandom(count));
      const placed = added.filter(({ name }) => ['at', 'in', 'on'].includes(name));
      expect(new Set(placed.map(({ entities }) => entities[0]?.id)).size).toBe(count);
      expect(placed).toHaveLength(count);
    }
  });

  it('makes no key that opens nothing, and no two keys for the same lock', () => {
    for (let seed = 0; seed < 30; seed++) {
      const added = populate(map, 20, types, new NumpyRandom(seed));
      const keys = added.filter(({ name, entities }) => name !== 'match' && entities[0]?.type === 'k');
      const matches = added.filter(({ name }) => name === 'match');
      expect(matches.map(({ entities }) => entities[0]?.id).sort()).toEqual(keys.map((k) => k.entities[0]?.id).sort());
      expect(new Set(matches.map(({ entities }) => entities[1]?.id)).size).toBe(matches.length);
    }
  });
});

describe('populateWith', () => {
  it.each(recorded)('puts $things.length things where the original puts them', (row) => {
    const map = mapFacts(makeMap(new NumpyRandom(row.mapSeed), row.rooms, row.doorStates as DoorState[]));
    const things = row.things.map(([id = '', type = '']) => ({ id, type }));
    const added = populateWith(map, things, types, new NumpyRandom(row.mapSeed + 1));
    expect(texts([...map, ...added])).toEqual(row.world);
  });
});
