// What an algorithm remembers between batches, and which episodes it chooses.
import { inspect, isDeepStrictEqual } from 'node:util';

import type { JsonObject } from '../../contracts/json.js';
import type { CompletedEpisode } from '../../contracts/trajectory.js';
import type { KitCheck } from '../conformance-kit.js';
import { requireMembers } from '../require-members.js';
import { same, type AlgorithmContext } from './algorithm-context.js';

export const stateChecks: readonly KitCheck<AlgorithmContext>[] = [
  {
    id: 'state-suffices',
    title: 'state is JSON and the only memory: the same batch and state give the same answer, in a new instance too',
    severity: 'error',
    likelyCause:
      'something is remembered in the instance, or in values that JSON cannot hold; a resumed run would differ',
    why: 'A resumed run makes a new instance and has the state alone: it would go on differently.',
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
    title: 'the state is JSON: it comes out of a checkpoint as it went in',
    severity: 'error',
    likelyCause: 'a Map, a typed array, undefined or NaN is kept in the state; write plain lists and objects',
    why: 'The state lives in the checkpoint: what JSON cannot hold is gone after resuming.',
    cure: 'Write plain lists, objects, strings and finite numbers.',
    run: async (context) => {
      const algorithm = await context.create();
      let state: JsonObject = algorithm.initialState;
      const complain = (when: string): string[] =>
        isDeepStrictEqual(JSON.parse(JSON.stringify(state)), state)
          ? []
          : [`${when} the state is not JSON: ${inspect(state)}`];
      const found = complain('at the beginning');
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
    title: 'select answers with units of the episodes it was given: not empty, and two by two where it promises pairs',
    severity: 'error',
    likelyCause: 'episodes are copied or marked instead of chosen',
    why: 'What is selected becomes the rows of the batch; anything but the episodes given has no tokens.',
    cure: 'Return lists of the very episodes that were given; two each where `pairs` is promised.',
    run: ({ algorithm }) => {
      const { pairs } = algorithm;
      if (algorithm.select === undefined) return pairs ? ['pairs are promised, and nothing chooses them'] : [];
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
        return fits ? [] : [`a group with the returns ${returns.join(', ')} is answered with ${JSON.stringify(units)}`];
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
    turns: [{ observation: 'first', ...rest, reward: value, facts, sampled, policyVersion: 0 }],
    finalObservation: 'last',
    terminated: true,
    success: value > 0,
    return: value,
    record: { tokens: [1, 2, 3 + member, 0], mask: [0, 0, 1, 1], logprobs: [0, 0, -1, -0.1] },
    retries: 0,
  };
}
