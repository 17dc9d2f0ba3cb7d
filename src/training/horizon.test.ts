import { describe, expect, it } from 'vitest';

import { type HorizonSchedule, type HorizonState, horizonTurns, initialHorizon, nextHorizon } from './horizon.js';

/** Turns of each step, given the outcomes. The state goes through JSON each time, as in a resumed run. */
function turns(schedule: HorizonSchedule, outcomes: readonly { success: number; truncated: number }[]): number[] {
  let state: HorizonState = initialHorizon;
  return outcomes.map((outcome, index) => {
    const now = horizonTurns(schedule, state, index + 1);
    state = JSON.parse(JSON.stringify(nextHorizon(schedule, state, outcome))) as HorizonState;
    return now;
  });
}

const steps = (count: number) =>
  Array<{ success: number; truncated: number }>(count).fill({ success: 0, truncated: 0 });
const successes = (...rates: number[]) => rates.map((success) => ({ success, truncated: 0 }));

describe('horizons by step', () => {
  it('stays where it is fixed', () => {
    expect(turns({ schedule: 'fixed', turns: 5 }, steps(3))).toEqual([5, 5, 5]);
  });

  it('grows linearly, and stays at the last', () => {
    expect(turns({ schedule: 'linear', from: 3, to: 9, over: 4 }, steps(6))).toEqual([3, 5, 7, 9, 9, 9]);
    expect(turns({ schedule: 'linear', from: 3, to: 4, over: 4 }, steps(5))).toEqual([3, 3, 3, 4, 4]);
    expect(turns({ schedule: 'linear', from: 3, to: 9, over: 1 }, steps(3))).toEqual([3, 9, 9]);
  });

  // Law 7. Mutation: `step / schedule.every`: the change comes a step early, as after some resumes of the original.
  it('is ScalingInter: the first stage lasts `every` steps, wherever training was resumed', () => {
    const schedule: HorizonSchedule = { schedule: 'scaling-inter', turns: [5, 8, 10], every: 3 };
    const expected = [5, 5, 5, 8, 8, 8, 10, 10, 10, 10];
    expect(turns(schedule, steps(10))).toEqual(expected);
    // AgentGym-RL, resumed at a multiple of `every`, advanced two stages in two steps.
    for (let step = 1; step <= 10; step += 1) {
      expect(horizonTurns(schedule, initialHorizon, step)).toBe(expected[step - 1]);
    }
  });
});

describe('horizons by rate', () => {
  const bySuccess: HorizonSchedule = { schedule: 'success-rate', turns: [2, 4, 6], threshold: 0.5, window: 2 };

  it('goes on once the mean over a full window reaches the threshold', () => {
    expect(turns(bySuccess, successes(0.9, 0.05, 0.9, 0.1, 0.9, 0.9))).toEqual([2, 2, 2, 2, 4, 4]);
  });

  // Mutation: keep `recent` when the place changes; one good step then counts at two horizons.
  it('starts its window anew at each horizon, and stays at the last', () => {
    expect(turns(bySuccess, successes(1, 1, 1, 1, 1, 0))).toEqual([2, 2, 4, 4, 6, 6]);
  });

  it('watches the episodes that the horizon cut', () => {
    const schedule: HorizonSchedule = { schedule: 'truncation-rate', turns: [2, 4], threshold: 0.8, window: 1 };
    const cut = [0.5, 0.8, 0].map((truncated) => ({ success: 1, truncated }));
    expect(turns(schedule, cut)).toEqual([2, 2, 4]);
  });
});
