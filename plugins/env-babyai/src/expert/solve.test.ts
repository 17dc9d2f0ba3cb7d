import { describe, expect, it } from 'vitest';

import { play, worldOf } from '../fixtures/play.js';
import { levels } from '../levels/level-table.js';
import { NumpyGenerator } from '../random/numpy-generator.js';
import { action, type Action } from '../world/world-state.js';
import { copyWorld } from './copy-world.js';
import { solve } from './solve.js';

describe('the expert', () => {
  it.each(levels)('solves $name within its steps', ({ name }) => {
    for (const seed of [0, 1, 2, 3, 4]) {
      const world = worldOf(name, seed, 'fair');
      const plan = solve(world);
      expect([seed, plan !== undefined && play(world, plan)]).toEqual([seed, 'success']);
      expect(world.steps).toBeLessThanOrEqual(world.maxSteps);
    }
  });

  it('changes nothing in the world that it plans for', () => {
    const world = worldOf('BossLevel', 3);
    const before = world.grid.encode();
    solve(world);
    expect([world.steps, world.grid.encode()]).toEqual([0, before]);
  });

  it('plans again from wherever the agent strayed to', () => {
    for (const name of [
      'BossLevel',
      'KeyInBox',
      'GoToSeqS5R2',
      'UnblockPickup',
      'PutNextS7N4Carrying',
      'KeyCorridorS3R3',
    ]) {
      for (let seed = 0; seed < 20; seed += 1) {
        const world = worldOf(name, seed, 'fair');
        stray(world, seed);
        const plan = solve(world);
        expect([name, seed, plan !== undefined && play(world, plan)]).toEqual([name, seed, 'success']);
      }
    }
  });

  it('opens rooms that are full of things', () => {
    // The agent is shut in; the way out needs things behind it.
    for (const seed of [174, 1369, 2432, 5659, 5676]) {
      const world = worldOf('SynthS5R2', seed);
      expect([seed, play(world, solve(world) ?? [])]).toEqual([seed, 'success']);
    }
  });

  it.each([
    ['a key lies behind its own door', 'GoToImpUnlock', 6],
    ['the only key lies behind its own door', 'Unlock', 63],
    ['things that must not be touched stand around the one to pick up', 'PickupDistDebug', 5232],
  ])('finds no plan where %s', (_, name, seed) => {
    expect(solve(worldOf(name, seed))).toBeUndefined();
  });

  it('finds no plan for two strict doors by the rules of the original', () => {
    expect(worldOf('OpenDoorsOrderN2Debug', 1).instruction.words).toContain('after you');
    expect(solve(worldOf('OpenDoorsOrderN2Debug', 1))).toBeUndefined();
    expect(solve(worldOf('OpenDoorsOrderN2Debug', 1, 'fair'))).toBeDefined();
  });

  it('does not count a thing as put down that nobody saw in the hands', () => {
    const world = worldOf('PutNextS5N2Carrying', 0);
    const plan = solve(world)!;
    expect(plan.at(-1)).toBe(action.drop);
    expect(plan.length).toBeGreaterThan(1);
    expect(play(world, plan)).toBe('success');
  });
});

/** Sixty random actions, except those that end the episode or destroy something. */
function stray(world: ReturnType<typeof worldOf>, seed: number): void {
  const random = new NumpyGenerator(seed);
  for (let count = 0; count < 60; count += 1) {
    const given = random.choice<Action>([0, 1, 2, 2, 2, 3, 4, 5]);
    if (given === action.toggle && world.ahead?.kind === 'box') continue;
    if (copyWorld(world).step(given) === undefined) world.step(given);
  }
}
