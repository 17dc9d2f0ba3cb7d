// Checks of the state between batches, and of the episodes that an algorithm selects.
import { inspect, isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../contracts/json.js';
import type { CompletedEpisode } from '../../contracts/trajectory.js';
import type { KitCheck } from '../conformance-kit.js';
import { requireMembers } from '../require-members.js';
import { same, type AlgorithmContext } from './algorithm-context.js';

export const stateChecks: readonly KitCheck<AlgorithmContext>[] = [
  {
    id: 'state-suffices',
    title:
      'the state is JSON and the only memory: the same batch and state give the same answer, also in a new instance',
    severity: 'error',
    likelyCause: 'the instance remembers something, or the state holds values that JSON cannot store',
    why: 'A resumed run creates a new instance and has only the state. It would continue differently.',
    cure: 'Keep all memory in `state`, and return it.',
    run: async (context) => {
      const [old, fresh] = [await context.create(), await context.create()];
      let state: JsonObject = old.initialState;
      for (const { name, batch } of context.batches) {
        const copied = JSON.parse(JSON.stringify(state)) as JsonObject;
        const first = old.advantages(batch, state);
        const again = old.advantages(batch, copied);
        const elsewhere = fresh.advantages(batch, copied);
        for (const other of [again, elsewhere]) {
          if (!same(first.advantages, other.advantages)) return [`on ${name}: the advantages differ`];
          if (JSON.stringify(first.state) !== JSON.stringify(other.state)) return [`on ${name}: the states differ`];
        }
        state = first.state;
      }
      return [];
    },
  },
  {
    id: 'state-json',
    title: 'the state is JSON: writing it to a checkpoint and reading it back does not change it',
    severity: 'error',
    likelyCause: 'the state holds a Map, a typed array, undefined or NaN',
    why: 'The checkpoint stores the state. Values that JSON cannot store are lost on resume.',
    cure: 'Use plain lists, objects, strings and finite numbers.',
    run: async (context) => {
      const algorithm = await context.create();
      let state: JsonObject = algorithm.initialState;
      const complain = (when: string): string[] =>
        isDeepStrictEqual(JSON.parse(JSON.stringify(state)), state)
          ? []
          : [`${when} the state is not JSON: ${inspect(state)}`];
      const found = complain('at the start');
      for (const { name, batch } of context.batches) {
        if (found.length > 0) return found;
        ({ state } = algorithm.advantages(batch, state));
        requireMembers('advantages()', { state }, { state: 'object' });
        found.push(...complain(`after ${name}`));
      }
      return found;
    },
  },
  {
    id: 'select',
    title: 'select returns units of the given episodes: no empty units, and units of two if it promises pairs',
    severity: 'error',
    likelyCause: 'episodes are copied or changed instead of selected',
    why: 'The selected episodes become the rows of the batch. Other objects have no tokens.',
    cure: 'Return lists of the given episode objects; lists of two if `pairs` is promised.',
    run: ({ algorithm }) => {
      const { pairs } = algorithm;
      if (algorithm.select === undefined) return pairs ? ['the algorithm promises pairs but has no select()'] : [];
      return [[1, 0, 0], [1, 1], [0.5]].flatMap((returns) => {
        const group = returns.map((value, member) => episodeOf(value, member));
        const units: unknown = algorithm.select?.(group);
        const fits =
          Array.isArray(units) &&
          units.every(
            (unit) =>
              Array.isArray(unit) &&
              (pairs ? unit.length === 2 : unit.length > 0) &&
              unit.every((episode) => group.includes(episode as CompletedEpisode)),
          );
        return fits
          ? []
          : [`for a group with the returns ${returns.join(', ')} select() returns ${JSON.stringify(units)}`];
      });
    },
  },
];

/** An episode of one turn. */
function episodeOf(value: number, member: number): CompletedEpisode {
  const key = { iteration: 1, task: 'task', group: 0, member };
  const facts = { success: value > 0, invalid: false };
  const sampled = [2, 4] as const;
  const rest = { text: String(member), action: String(member), cut: false, components: {}, native: value };
  return {
    ...key,
    status: 'completed',
    turns: [{ observation: 'first', startState: 'start', ...rest, reward: value, facts, sampled, policyVersion: 0 }],
    finalObservation: 'last',
    terminated: true,
    success: value > 0,
    return: value,
    sequences: [{ tokens: [1, 2, 3 + member, 0], mask: [0, 0, 1, 1], logprobs: [0, 0, -1, -0.1] }],
    retries: 0,
  };
}
