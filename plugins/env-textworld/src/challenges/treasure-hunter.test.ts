import { describe, expect, it } from 'vitest';

import { subSeeds } from '../generate/seeds.js';
import { makeTreasureHunter } from './treasure-hunter.js';

const make = (level: number, seed = 1) => makeTreasureHunter(subSeeds(seed), { level });
const count = (level: number, types: string): number => {
  const ids = make(level).facts.flatMap(({ entities }) => entities.filter(({ type }) => types.includes(type)));
  return new Set(ids.map(({ id }) => id)).size;
};

describe('makeTreasureHunter', () => {
  it('refuses levels that do not exist', () => {
    for (const level of [0, 31, 2.5, Number.NaN]) expect(() => make(level)).toThrow('level must be');
  });

  it('has the rooms, furniture and quest length of its level', () => {
    const lengths = [1, 4, 10, 11, 15, 20, 21].map((level) => make(level).quests[0]?.wins[0]?.actions.length);
    expect(lengths).toEqual([1, 2, 5, 2, 6, 10, 3]);
    expect([count(1, 'r'), count(1, 'cs'), count(1, 'd')]).toEqual([5, 0, 0]);
    expect([count(11, 'r'), count(11, 'cs')]).toEqual([10, 10]);
    expect([count(21, 'r'), count(21, 'cs')]).toEqual([20, 20]);
  });

  it('says that a world has no quest of the length, as the original does', () => {
    expect(() => make(20, 3)).toThrow('no quest of 10 actions');
  });

  it('ends with taking the treasure, and is lost with another thing', () => {
    const [quest] = make(21).quests;
    const last = quest?.wins[0]?.actions.at(-1);
    expect(last?.rule.startsWith('take')).toBe(true);
    const treasure = quest?.wins[0]?.condition.at(-1)?.entities[0]?.id;
    expect(last?.command).toContain(`{${treasure}}`);
    const decoy = quest?.fails[0]?.condition[0];
    expect([decoy?.name, decoy?.entities[1]?.id]).toEqual(['in', 'I']);
    expect(decoy?.entities[0]?.id).not.toBe(treasure);
  });
});
