// What the times of a pilot tell about a long run. test/cli/check.test.ts runs pilots.
import { describe, expect, it } from 'vitest';

import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { planRun } from '../config/run-plan.js';
import type { RunEvent } from '../contracts/events.js';
import { expectedCost } from './expected-cost.js';
import { pilotSpeed, type PilotTimes } from './pilot-speed.js';
import { pilotRecipe } from './run-pilot.js';

const recipe = tinyRecipe({
  stages: {
    sft: { kind: 'sft', batchSize: 10, steps: 100 },
    rl: { kind: 'rl', tasksPerStep: 5, steps: 50 },
  },
  evaluation: { every: 25, tasks: 30, temperatures: [0], final: { tasks: 'all', temperatures: [1] } },
  checkpoint: { every: 20 },
  tracking: ['mlflow'],
});
const plan = planRun(recipe);
const size = { steps: 2, tasks: 8 };
const pilot = planRun(pilotRecipe(plan, size));

const started = (at: number, stage: string, kind: 'sft' | 'rl') => ({
  at,
  event: { type: 'stage-started', stage, kind, steps: 2, done: 0 } as const,
});
const step = (at: number, stage: string, number: number, seconds: number, metrics: Record<string, number> = {}) => ({
  at,
  event: {
    ...({ type: 'step', stage, step: number, steps: 2 } as const),
    metrics: { 'time/step_seconds': seconds, ...metrics },
  },
});
const finished = (at: number, stage: string) => ({
  at,
  event: { type: 'stage-finished', stage, step: 2, seconds: 1 } as const,
});
const tells = (at: number, message: string) => ({ at, event: { type: 'activity', message } satisfies RunEvent });

const times: PilotTimes = {
  begun: 0,
  events: [
    tells(1, 'opening'),
    started(3, 'sft', 'sft'),
    step(5, 'sft', 1, 1.8),
    step(5.5, 'sft', 2, 0.5),
    finished(6.5, 'sft'),
    started(8, 'rl', 'rl'),
    step(13, 'rl', 1, 4.5, { 'time/collect_seconds': 3, 'cost/episodes': 10, 'cost/turns': 19, 'cost/tokens': 60 }),
    step(15, 'rl', 2, 2, { 'time/collect_seconds': 1, 'cost/episodes': 20, 'cost/turns': 40, 'cost/tokens': 120 }),
    finished(16, 'rl'),
    tells(16, 'final evaluation'),
    tells(17, 'evaluation at temperature 0: 2 of 8 episodes'),
    tells(20, 'playing the baseline random'),
    tells(21, 'playing the baseline oracle'),
  ],
  evaluated: 22.4,
  episodes: 8,
};

it('a pilot is short, leaves out what does not tell its time, and is told to no server', () => {
  const { checkpoint, evaluation, horizon, record, stages, tracking } = pilot.recipe;
  expect(Object.values(stages).map(({ steps }) => steps)).toEqual([2, 2]);
  const { before, every, final } = evaluation;
  expect([every, before, final.tasks, final.episodesPerTask]).toEqual([0, { tasks: 0 }, 8, 1]);
  expect([checkpoint.every, record.episodes, tracking]).toEqual([0, 0, []]);
  expect(horizon).toEqual({ schedule: 'fixed', turns: plan.longestHorizon });
});

it('a pilot plays each of several environments for as long as the run does', () => {
  const fixed = (turns: number) => ({ schedule: 'fixed' as const, turns });
  const linear = { schedule: 'linear' as const, from: 3, to: 6, over: 9 };
  const environments = { near: { name: 'die', horizon: linear }, far: { name: 'die' } };
  const { environment: _, ...several } = tinyRecipe({ environments, horizon: fixed(8) });
  const { entries } = planRun(pilotRecipe(planRun(several), size));
  expect(entries.map(({ horizon }) => horizon)).toEqual([fixed(6), fixed(8)]);
});

describe('the times of a pilot', () => {
  const speed = pilotSpeed(pilot, times);

  it('tell what a stage costs once, and what each of its parts costs', () => {
    expect(speed).toEqual({
      preparation: 3,
      sft: { once: 2.5, each: 0.05, checkpoint: 1, episode: 0 },
      rl: { once: 4, each: 0.1, checkpoint: 1, episode: 0.1 },
      ...{ turns: 2, tokensPerTurn: 3 },
      evaluation: { policy: 2, episodes: 8, other: expect.closeTo(0.1) as number },
    });
  });

  it('tell what a whole run takes', () => {
    const counts = { train: 'unbounded', validation: 100, test: 200 } as const;
    const { seconds, ...cost } = expectedCost(plan, speed, counts);
    expect(cost).toEqual({ demonstrations: 1000, episodes: 500, steps: 150 });
    expect(seconds.preparation).toBe(3);
    // 1000 rows, and four checkpoints besides the last.
    expect(seconds.supervised).toBeCloseTo(2.5 + 50 + 4);
    expect(seconds.reinforcement).toBeCloseTo(4 + 100 + 2);
    // 30 tasks take 0.1 s for each, as training episodes do. The eight of the pilot took 0.25 s for each.
    const during = (4 + 2) * 3;
    const [before, final, baselines] = [2 * 20, 2 * 20, 3 * 200 * 0.1];
    expect(seconds.evaluations).toBeCloseTo(during + before + final + baselines);
    expect(seconds.total).toBeCloseTo(3 + 56.5 + 106 + during + before + final + baselines);
  });

  it('tell that a few episodes more take as long as those of the pilot', () => {
    const few = {
      ...recipe,
      evaluation: { ...recipe.evaluation, tasks: 10, final: { ...recipe.evaluation.final, tasks: 8 } },
    };
    const { seconds } = expectedCost(planRun(few), speed);
    expect(seconds.evaluations).toBeCloseTo((4 + 2) * 2 + 2 * 2 + 2 * 2 + 3 * 8 * 0.1);
  });
});
