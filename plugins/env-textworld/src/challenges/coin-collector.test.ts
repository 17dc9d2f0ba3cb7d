import { describe, expect, it } from 'vitest';

import { subSeeds } from '../generate/seeds.js';
import { makeCoinCollector } from './coin-collector.js';

const make = (level: number, compat: 'textworld' | 'corrected' = 'textworld', seed = 1) =>
  makeCoinCollector(subSeeds(seed), { level, compat });

/** Rooms that can be entered from each room. */
function exits(level: number, compat: 'textworld' | 'corrected'): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, entities } of make(level, compat).facts) {
    if (name !== 'free') continue;
    const [from = '', to = ''] = entities.map(({ id }) => id);
    found.set(from, [...(found.get(from) ?? []), to]);
  }
  return found;
}

describe('makeCoinCollector', () => {
  it('refuses levels that do not exist', () => {
    for (const level of [0, 301, 1.5, Number.NaN]) expect(() => make(level)).toThrow('level must be');
  });

  it('has the chain and the rooms of its level', () => {
    for (const [level, length, rooms] of [
      [1, 1, 1],
      [100, 100, 100],
      [101, 1, 2],
      [130, 30, 60],
      [250, 50, 150],
      [300, 100, 300],
    ] as const) {
      const { facts, quests } = make(level);
      const ids = new Set(facts.flatMap(({ entities }) => entities.filter(({ type }) => type === 'r')));
      expect([level, quests[0]?.wins[0]?.actions.length, new Set([...ids].map(({ id }) => id)).size]).toEqual([
        ...[level, length, rooms],
      ]);
    }
  });

  it('places rooms behind rooms that lead nowhere only when corrected', () => {
    const chain = new Set(Array.from({ length: 30 }, (_, index) => `r_${index}`));
    const isBranching = (found: Map<string, string[]>): boolean =>
      Array.from(found).some(([room, next]) => !chain.has(room) && next.length > 1);
    expect(isBranching(exits(230, 'textworld'))).toBe(false);
    expect(isBranching(exits(230, 'corrected'))).toBe(true);
    expect(exits(130, 'corrected')).toEqual(exits(130, 'textworld'));
  });
});
