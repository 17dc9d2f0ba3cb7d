import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import type { Options } from './options.js';
import { open } from './template-name.js';

/** Not read from `options.ts`, so that new defaults do not break tests. */
const usual: Options = { size: 4, spare: 2, forgetting: 0.5 };
const { random, signal } = testHost(1);
const call = { random, signal };

/** Share of training games that a player wins. */
async function winRate(player: string): Promise<number> {
  const world = open(usual);
  const game = await world.create(call);
  let won = 0;
  for (let i = 0; i < 1000; i += 1) {
    await game.reset(await world.splits.train!.id(i), call);
    for (;;) {
      const { terminated, facts } = await game.step(await game.act(player, call), call);
      if (!terminated) continue;
      won += Number(facts.success);
      break;
    }
  }
  return won / 1000;
}

describe('template-name', () => {
  it('plays as its rules say', async () => {
    const game = await open(usual).create(call);
    expect(await game.reset('0.0-1.0-1.1', call)).toBe('You have 6 turns. Parcel: 1 east. Door: 1 east, 1 north.');
    expect(await game.step('take', call)).toMatchObject({
      observation: 'You cannot. Parcel: 1 east. Door: 1 east, 1 north.',
      facts: { invalid: true, progress: 0 },
    });
    expect(await game.step('east', call)).toMatchObject({ facts: { progress: 0.25, milestones: { reached: 0 } } });
    expect(await game.step('take', call)).toMatchObject({
      observation: 'You have the parcel. Door: 1 north.',
      facts: { milestones: { reached: 1, total: 2 } },
    });
    await game.step('north', call);
    expect(await game.step('drop', call)).toMatchObject({
      observation: 'Thank you.',
      terminated: true,
      facts: { success: true, progress: 1, milestones: { reached: 2 } },
    });
  });

  it('does not count walking back against the progress that was made', async () => {
    const game = await open(usual).create(call);
    await game.reset('0.0-3.0-0.0', call);
    const { facts: there } = await game.step('east', call);
    const { facts: back } = await game.step('west', call);
    expect(back.progress).toBe(there.progress);
  });

  it('ends when the turns are used up', async () => {
    const game = await open({ ...usual, spare: 0 }).create(call);
    await game.reset('0.0-0.0-1.0', call);
    await game.step('north', call);
    await game.step('south', call);
    expect(await game.step('take', call)).toMatchObject({
      terminated: true,
      truncated: false,
      facts: { success: false },
    });
  });

  it('tells apart what is possible, what is not, and what is no action at all', async () => {
    const game = await open(usual).create(call);
    await game.reset('0.0-3.3-1.1', call);
    expect(await game.admissible!()).toEqual(['north', 'east']);
    for (const text of ['south', 'drop', 'North', ' east', '', 'constructor', 'east east']) {
      expect((await game.step(text, call)).facts.invalid, JSON.stringify(text)).toBe(true);
    }
  });

  it('deals all games into three splits', () => {
    const { train, validation, test } = open(usual).splits;
    const sizes = [train, validation, test].map((split) => Number(split?.count));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(16 * 16 * 15);
    for (const size of sizes.slice(1)) expect(size / (16 * 16 * 15)).toBeCloseTo(0.2, 1);
  });

  it('labels a game by its shortest way', async () => {
    expect(await open(usual).about!('0.0-1.0-1.1')).toEqual({ labels: { way: 4 } });
  });

  it('has an oracle that always wins, a demonstrator that often fails, and a random player that hardly ever wins', async () => {
    expect(await winRate('oracle')).toBe(1);
    const demonstrator = await winRate('demonstrator');
    expect(demonstrator).toBeGreaterThan(0.3);
    expect(demonstrator).toBeLessThan(0.5);
    expect(await winRate('random')).toBeLessThan(0.02);
  });
});
