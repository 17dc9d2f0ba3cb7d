import { describe, expect, it } from 'vitest';

import { compareFacts, FactTable } from './facts.js';

describe('FactTable', () => {
  it('has one object per entity and fact', () => {
    const table = new FactTable();
    const [player, room] = [table.entity('P', 'P'), table.entity('r_0', 'r')];
    const at = table.fact('at', [player, room]);
    expect(table.entity('r_0', 'r')).toBe(room);
    expect(table.fact('at', [player, room])).toBe(at);
    expect(
      table.intern({
        name: 'at',
        entities: [
          { id: 'P', type: 'P' },
          { id: 'r_0', type: 'r' },
        ],
      }),
    ).toBe(at);
    expect(table.fact('at', [room, player])).not.toBe(at);
    expect(table.fact('at', [player])).not.toBe(at);
    expect(table.facts.map(({ index }) => index)).toEqual([0, 1, 2]);
  });

  it('tells facts with many entities apart', () => {
    const table = new FactTable();
    const entities = Array.from({ length: 5 }, (_, index) => table.entity(`x_${index}`, 'x'));
    const fact = table.fact('event', entities);
    expect(table.fact('event', [...entities].reverse())).not.toBe(fact);
    expect(table.fact('event', entities)).toBe(fact);
  });

  it('finds without adding', () => {
    const table = new FactTable();
    const fact = { name: 'open', entities: [{ id: 'c_0', type: 'c' }] };
    expect(table.find(fact)).toBeUndefined();
    expect(table.facts).toHaveLength(0);
    const known = table.intern(fact);
    expect(table.find(fact)).toBe(known);
    expect(table.find({ name: 'open', entities: [{ id: 'c_0', type: 'd' }] })).toBeUndefined();
    expect(table.find({ name: '__proto__', entities: [] })).toBeUndefined();
  });

  it('lists facts by entity, also those that are added later', () => {
    const table = new FactTable();
    const [one, other] = [table.entity('r_0', 'r'), table.entity('r_1', 'r')];
    const free = table.fact('free', [one, other]);
    expect(table.withEntity(other)).toEqual([free]);
    const loop = table.fact('free', [other, other]);
    expect(table.withEntity({ id: 'r_1', type: 'r' })).toEqual([free, loop]);
    expect(table.withEntity({ id: 'r_2', type: 'r' })).toEqual([]);
  });

  it('refuses an entity with two types, and too many entities', () => {
    const table = new FactTable();
    table.entity('c_0', 'c');
    expect(() => table.entity('c_0', 'd')).toThrow('`c_0` has the types `c` and `d`');
    for (let index = 1; index < 8192; index++) table.entity(`c_${index}`, 'c');
    expect(() => table.entity('one more', 'c')).toThrow(RangeError);
  });
});

describe('orders', () => {
  it('compare facts by name, then by ids', () => {
    const facts = ['on o_10', 'on o_2', 'at P r_1', 'at c_0 r_0', 'at P'].map((line) => {
      const [name, ...ids] = line.split(' ') as [string, ...string[]];
      return { name, entities: ids.map((id) => ({ id, type: id.split('_')[0]! })) };
    });
    const written = facts
      .sort(compareFacts)
      .map(({ name, entities }) => [name, ...entities.map(({ id }) => id)].join(' '));
    expect(written).toEqual(['at P', 'at P r_1', 'at c_0 r_0', 'on o_10', 'on o_2']);
  });
});
