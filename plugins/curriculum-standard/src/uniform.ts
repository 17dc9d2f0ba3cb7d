import type { Curriculum, Host, TaskPool } from '@agentgym/cli';

import { readTurns } from './read-turns.js';
import { takeTurns } from './take-turns.js';

/** Every pool hands out its uniform order. Several take turns by their weights. */
export function create(_options: object, _host: Host, pools: readonly [TaskPool, ...TaskPool[]]): Curriculum {
  const weights = pools.map(({ weight }) => weight);
  return {
    initialState: {},
    choose: (first, count) =>
      readTurns(pools, takeTurns(weights, first, count), (entry, turn, many) =>
        (pools[entry] as TaskPool).order(turn, many),
      ),
  };
}
