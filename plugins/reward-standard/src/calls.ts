import type { RewardScheme } from '@agentgym/cli';

import type { CallsOptions } from './options.js';

/** Pays for each answered call of a tool, and subtracts a price for each call that failed, was malformed or was refused. */
export function create({ answered, failed }: CallsOptions): RewardScheme {
  return {
    density: 'turn',
    score: ({ calls = [] }) => calls.reduce((sum, call) => sum + (call.failed ? -failed : answered), 0),
    bounds({ horizon, calls = 0, discount = 1 }) {
      let turns = 0;
      for (let turn = 0; turn < horizon; turn += 1) turns += discount ** turn;
      // One turn of a success is an action.
      const [before, most] = [turns - discount ** (horizon - 1), calls * turns];
      return {
        success: [0 - failed * calls * before, answered * calls * before],
        failure: [0 - failed * most, answered * most],
      };
    },
  };
}
