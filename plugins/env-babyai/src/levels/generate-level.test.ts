import { describe, expect, it } from 'vitest';

import { PutNext } from '../instructions/commands.js';
import { NumpyGenerator } from '../random/numpy-generator.js';
import { Thing } from '../world/thing.js';
import { generateLevel, type GeneratedLevel } from './generate-level.js';
import { EndlessLevelError } from './level-errors.js';
import { levelByName } from './level-table.js';

const draw = (name: string, seed: number) => generateLevel(levelByName.get(name)!, new NumpyGenerator(seed));

/** The levels that a name gives for the first seeds, without those that never end. */
function drawMany(name: string, count: number): GeneratedLevel[] {
  return Array.from({ length: count }, (_, seed) => seed).flatMap((seed) => {
    try {
      return [draw(name, seed)];
    } catch (error) {
      if (error instanceof EndlessLevelError) return [];
      throw error;
    }
  });
}

describe('levels', () => {
  it('begin with nothing put where it should be', () => {
    for (const name of ['PutNextLocalS5N3', 'MiniBossLevel', 'SynthS5R2']) {
      for (const { instruction } of drawMany(name, 200)) {
        for (const command of instruction.commands) {
          if (command instanceof PutNext) expect(command.areNext).toBe(false);
        }
      }
    }
  });

  it('speak of no key that opens a locked door', () => {
    for (const { grid, instruction } of drawMany('BossLevel', 200)) {
      const locked = grid.cells.filter((thing) => thing?.state === 'locked').map((door) => door!.colour);
      for (const { wanted } of instruction.commands.flatMap(({ descriptions }) => descriptions)) {
        expect([wanted.kind, wanted.colour, locked.includes(wanted.colour!)]).not.toEqual(['key', wanted.colour, true]);
      }
    }
  });

  it('begin with the agent in a free cell, before nothing', () => {
    for (const { grid, x, y } of drawMany('UnblockPickup', 50)) expect(grid.get(x, y)).toBeUndefined();
  });

  it('have the limits of steps of the original', () => {
    const limits = ['GoTo', 'PutNextLocal', 'KeyCorridorS3R1', 'UnlockPickup', 'OpenTwoDoors', 'MoveTwoAcrossS5N2'];
    // The limit of UnlockPickup is not the one that the original means to set.
    expect(limits.map((name) => draw(name, 0).maxSteps)).toEqual([576, 128, 270, 72, 720, 400]);
  });

  it('are made by one generator one after the other', () => {
    const random = new NumpyGenerator(4);
    const level = levelByName.get('GoToLocal')!;
    const starts = [1, 2].map(() => generateLevel(level, random));
    expect(starts[0]!.grid.encode()).toEqual(draw('GoToLocal', 4).grid.encode());
    expect(starts[1]!.grid.encode()).not.toEqual(starts[0]!.grid.encode());
  });

  it('say so where the original never ends', () => {
    expect(() => draw('SynthS5R2', 1741)).toThrow(EndlessLevelError);
  });

  it('may hide a key in a box', () => {
    const { grid } = draw('KeyInBox', 0);
    const [box] = grid.cells.filter((thing) => thing?.kind === 'box');
    expect(box?.content).toBeInstanceOf(Thing);
    expect(grid.cells.some((thing) => thing?.kind === 'key')).toBe(false);
  });
});
