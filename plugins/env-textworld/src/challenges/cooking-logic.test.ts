import { describe, expect, it } from 'vitest';

import { houseLogic } from '../logic/house-logic.js';
import { cookingLogic } from './cooking-logic.js';

const plain = cookingLogic(false);
const limited = cookingLogic(true);
const slotFacts = (name: string): string[] =>
  [...(limited.rules.get(name)?.before ?? []), ...(limited.rules.get(name)?.after ?? [])]
    .filter(({ placeholders }) => placeholders[0]?.type === 'slot')
    .map((pattern) => `${pattern.name} ${pattern.placeholders[0]?.name}`);

describe('cookingLogic', () => {
  it('has the same commands with and without a limited inventory', () => {
    const commands = (logic: typeof plain) => Array.from(logic.rules.values(), ({ name, command }) => [name, command]);
    expect(commands(limited)).toEqual(commands(plain));
    expect(plain.rules.size).toBe(43);
    expect(plain.constraints).toHaveLength(42);
  });

  it('fills a slot to take and empties it to lay down or eat', () => {
    for (const name of ['take', 'take/c', 'take/s']) expect(slotFacts(name)).toEqual(['free slot', 'used slot']);
    for (const name of ['drop', 'insert', 'put', 'eat']) expect(slotFacts(name)).toEqual(['used slot', 'free slot']);
  });

  it('keeps one slot for the meal', () => {
    expect(slotFacts('make/recipe/1')).toEqual([]);
    expect(slotFacts('make/recipe/3')).toEqual([
      ...['used slot', "used slot'", "used slot''"],
      ...['used slot', "free slot'", "free slot''"],
    ]);
  });

  it('needs the cook in the kitchen with every ingredient', () => {
    const needed = plain.rules.get('make/recipe/2')?.before.map(({ name }) => name);
    expect(needed).toEqual(['at', 'cooking_location', 'in', 'ingredient_1', 'in', 'ingredient_2', 'out']);
  });

  it('knows no command to examine doors and what is held', () => {
    expect(houseLogic().rules.has('examine/d')).toBe(true);
    expect(plain.rules.has('examine/d')).toBe(false);
    expect(plain.rules.get('examine/I')?.before.map(({ name }) => name)).toEqual(['at']);
  });

  it('has heat sources and meals below the right types', () => {
    expect(plain.types.isA('oven', 'c')).toBe(true);
    expect(plain.types.isA('toaster', 'c')).toBe(true);
    expect(plain.types.isA('stove', 's')).toBe(true);
    expect(plain.types.isA('meal', 'f')).toBe(true);
    expect(plain.types.names.includes('slot')).toBe(false);
  });

  it('carries the Inform source of what its replies say', () => {
    expect(plain.inform.code).toContain('You burned the [dish]!');
    expect(plain.inform.code).toContain('Adding the meal to your inventory.');
    expect(plain.inform.code).not.toContain('carrying capacity');
    expect(limited.inform.code).toContain('The carrying capacity of the player is 0.');
  });
});
