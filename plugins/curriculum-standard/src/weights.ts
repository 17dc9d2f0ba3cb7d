import type { ChosenTask, Curriculum, Host, JsonObject, TaskPool } from '@agentgym/cli';

import type { WeightsOptions } from './options.js';
import { readTurns } from './read-turns.js';
import { takeTurns, type EntryTurn } from './take-turns.js';

interface WeightsState extends JsonObject {
  /** Number of steps so far. */
  readonly steps: number;
  /** The first place of the next step. */
  readonly place: number;
  /** How many places each entry had. */
  readonly turns: readonly number[];
}

/**
 * Entries take turns by weights that move from those of the recipe to those of `to`, linearly over `over` steps. In a step the
 * weights are the same.
 */
export function create(
  { entries, over, to }: WeightsOptions,
  _host: Host,
  pools: readonly [TaskPool, ...TaskPool[]],
): Curriculum {
  const names = pools.map(({ entry }) => entry ?? '');
  const unknown = entries.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const known = names.join(', ') || 'the run has one, without a name';
    throw new Error(`\`entries\` names \`${unknown}\`, which is none of the environments: ${known}`);
  }
  const weightsAt = (steps: number): number[] =>
    pools.map(({ entry, weight }) => {
      const place = entries.indexOf(entry ?? '');
      const end = place < 0 ? weight : (to[place] as number);
      return weight + (end - weight) * Math.min(1, steps / over);
    });

  /** The turns of a step, which continue what each entry had. */
  function turnsOf({ steps, turns }: WeightsState, count: number): readonly EntryTurn[] {
    const weights = weightsAt(steps);
    // An entry of weight 0 has no turn, and no time at which one would come.
    const present = weights.flatMap((weight, entry) => (weight > 0 ? [entry] : []));
    const taken = takeTurns(
      present.map((entry) => weights[entry] as number),
      0,
      count,
    );
    return taken.map(({ entry, turn }) => {
      const own = present[entry] as number;
      return { entry: own, turn: (turns[own] as number) + turn };
    });
  }

  return {
    initialState: { steps: 0, place: 0, turns: pools.map(() => 0) } satisfies WeightsState,

    async choose(first, count, given): Promise<readonly ChosenTask[]> {
      const state = given as WeightsState;
      const before = first - state.place;
      const turns = turnsOf(state, before + count).slice(before);
      return readTurns(pools, turns, (entry, turn, many) => (pools[entry] as TaskPool).order(turn, many));
    },

    update(given, played) {
      const state = given as WeightsState;
      const turns = [...state.turns];
      for (const { entry } of turnsOf(state, played.length)) turns[entry] = (turns[entry] as number) + 1;
      return { steps: state.steps + 1, place: state.place + played.length, turns };
    },

    metrics(given) {
      const weights = weightsAt((given as WeightsState).steps);
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return Object.fromEntries(
        pools.map(({ entry = 'all' }, place) => [`share/${entry}`, (weights[place] as number) / sum]),
      );
    },
  };
}
