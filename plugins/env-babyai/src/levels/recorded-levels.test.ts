import { describe, expect, it } from 'vitest';

import { hash, levelOf, recordedLevels, type RecordedLevel, type RecordedStep } from '../fixtures/recordings.js';
import { NumpyGenerator } from '../random/numpy-generator.js';
import { View } from '../world/view.js';
import type { Action } from '../world/world-state.js';
import { GridWorld } from '../world/world.js';
import { firstView } from './first-view.js';
import { generateLevel, type GeneratedLevel } from './generate-level.js';
import { EndlessLevelError } from './level-errors.js';
import { levels } from './level-table.js';

const begin = ({ id, seed }: RecordedLevel) => {
  const random = new NumpyGenerator(seed);
  return { random, level: generateLevel(levelOf(id), random) };
};
const poseOf = ({ x, y, direction }: Pick<GridWorld, 'x' | 'y' | 'direction'>) => [x, y, direction];
const nameOf = ({ carrying }: Pick<GridWorld, 'carrying'>) =>
  carrying === undefined ? null : `${carrying.colour} ${carrying.kind}`;

function describeStart(level: GeneratedLevel, random: NumpyGenerator) {
  const { state, hasHalf, half } = random.state();
  return {
    max_steps: level.maxSteps,
    mission: level.mission,
    pose: poseOf(level),
    grid_hash: hash(level.grid.encode()),
    obs_hash: hash(firstView(level).image()),
    rng: [state, Number(hasHalf), half],
  };
}

describe('the levels of Minigrid', () => {
  it('are all recorded', () => {
    expect(levels).toHaveLength(96);
    expect(new Set(recordedLevels.map(({ id }) => id))).toEqual(new Set(levels.map(({ id }) => id)));
  });

  it.each(recordedLevels)('$id with seed $seed begins as the original does', (recorded) => {
    const { random, level } = begin(recorded);
    expect(recorded.start).toMatchObject({ ...describeStart(level, random), carrying: nameOf(level) });
  });

  it.each(recordedLevels)('$id goes on after seed $seed as the original does', (recorded) => {
    const { random } = begin(recorded);
    const next = () => describeStart(generateLevel(levelOf(recorded.id), random), random);
    if (recorded.next === null) expect(next).toThrow(EndlessLevelError);
    else expect(next()).toEqual(recorded.next);
  });

  it.each(recordedLevels)("$id with seed $seed plays the original's expert as it was played", (recorded) => {
    const world = new GridWorld(begin(recorded).level);
    const { bot } = recorded;
    const view = new View();
    let trace = '';
    let reward = 0;
    for (const digit of bot.actions + '6'.repeat(bot.idle ?? 0)) {
      const outcome = world.step(Number(digit) as Action);
      view.look(world.grid, world);
      trace += hash(view.image()).slice(0, 4);
      if (outcome === 'success') reward += world.reward;
    }
    expect({
      trace: trace.slice(0, bot.trace.length),
      reward,
      truncated: world.timeIsUp,
      pose: poseOf(world),
      grid_hash: hash(world.grid.encode()),
    }).toEqual({
      trace: bot.trace,
      reward: bot.reward,
      truncated: bot.truncated,
      pose: bot.pose,
      grid_hash: bot.grid_hash,
    });
  });

  it.each(recordedLevels)('$id with seed $seed answers random actions as the original does', (recorded) => {
    const world = new GridWorld(begin(recorded).level);
    const view = new View();
    const steps = recorded.random.steps.map((_, at): RecordedStep => {
      const outcome = world.step(Number(recorded.random.actions[at]) as Action);
      view.look(world.grid, world);
      const [x, y, direction] = poseOf(world) as [number, number, number];
      const reward = outcome === 'success' ? world.reward : 0;
      const ends = [Number(outcome !== undefined), Number(world.timeIsUp)] as const;
      return [x, y, direction, nameOf(world), reward, ...ends, hash(world.grid.encode()), hash(view.image())];
    });
    expect(steps).toEqual(recorded.random.steps);
  });
});
