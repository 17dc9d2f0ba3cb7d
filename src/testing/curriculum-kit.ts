import { isDeepStrictEqual } from 'node:util';

import type { ChosenTask, Curriculum, CurriculumModule, PlayedTask, TaskPool } from '../contracts/curriculum.js';
import type { JsonObject } from '../contracts/json.js';
import type { Random } from '../contracts/random.js';
import { checkShape } from '../errors/check-shape.js';
import { createRandom } from '../random/create-random.js';
import { instanceShapes } from '../rollout/contribution-shapes.js';
import { taskOrder } from '../rollout/task-order.js';
import { Kit, type KitSettings, type SubjectOf } from './conformance-kit.js';
import { notJson } from './findings.js';
import { testHost } from './test-host.js';

const tasks = 60;
/** Steps of the played stage, and groups of a step. */
const [steps, groups] = [6, 8];
const episodes = 4;

/** Entries with these weights; a run of one environment has one pool without a name. */
const entries = [
  [undefined, 1],
  ['near', 2],
  ['far', 1],
] as const;

/** A step of a played stage. */
interface PlayedStep {
  readonly first: number;
  readonly state: JsonObject;
  readonly chosen: readonly ChosenTask[];
  readonly played: readonly PlayedTask[];
}

interface Context {
  /** Creates the curriculum anew, on one pool or on two. */
  readonly create: (pools: 'one' | 'two') => Promise<Curriculum>;
  /** Stages that were played, on one pool and on two. */
  readonly stages: readonly { readonly pools: 'one' | 'two'; readonly steps: readonly PlayedStep[] }[];
}

/** Sixty tasks of twelve clusters, with the labels `depth` and `kind`. */
function poolOf(random: Random, entry: string | undefined, weight: number): TaskPool {
  const idOf = (place: number) => `${entry ?? 'task'}-${place}`;
  const places = (task: string) => Number(task.split('-')[1]);
  const order = taskOrder(
    {
      count: tasks,
      ids: (wanted) => Promise.resolve(wanted.map(idOf)),
      draw: () => Promise.reject(new Error('a bounded pool is not drawn from')),
    },
    random.stream('pool', entry ?? ''),
  );
  return {
    ...(entry !== undefined && { entry }),
    weight,
    count: tasks,
    order,
    about: (ids) =>
      Promise.resolve(
        ids.map((id) => ({
          cluster: `cluster ${places(id) % 12}`,
          labels: { depth: places(id) % 5, kind: places(id) % 2 === 0 ? 'even' : 'odd' },
        })),
      ),
  };
}

/** Tasks of greater depth are solved less often. */
function outcomeOf(one: ChosenTask, random: Random): PlayedTask {
  const difficulty = Number(one.task.split('-')[1]) % 5;
  const solved = Array.from({ length: episodes }, () => random.integer(0, 6) > difficulty).filter(Boolean).length;
  return { ...one, episodes, successes: solved };
}

async function playStage(curriculum: Curriculum, random: Random): Promise<PlayedStep[]> {
  const stage: PlayedStep[] = [];
  let state = curriculum.initialState;
  for (let step = 0; step < steps; step += 1) {
    const first = step * groups;
    const chosen = await curriculum.choose(first, groups, structuredClone(state));
    const played = chosen.map((one, place) => outcomeOf(one, random.stream(step, place)));
    // One group of each step fails as a whole.
    if (played[0] !== undefined) played[0] = { ...played[0], episodes: 0, successes: 0 };
    stage.push({ first, state, chosen, played });
    state = (await curriculum.update?.(structuredClone(state), played)) ?? state;
  }
  return stage;
}

/** Checks a curriculum against its contract, on made pools. */
export const curriculumKit = new Kit<SubjectOf<CurriculumModule<never>>, KitSettings, Context>({
  checks: [
    {
      id: 'choose-from-pools',
      title: 'choose() answers with as many tasks as were asked for, and they belong to the pools',
      cure: 'Return one task of `pool.order` for each place, with the entry of its pool.',
      run: ({ stages }) =>
        stages.flatMap(({ pools, steps: all }) =>
          all.map(({ chosen, first }) => {
            if (chosen.length !== groups)
              return `with ${pools} of the pools, the places from ${first} get no list of ${groups} tasks`;
            const names: readonly (string | undefined)[] = pools === 'one' ? [undefined] : ['near', 'far'];
            const strange = chosen.find(
              ({ entry, task }) => !names.includes(entry) || !new RegExp(`^${entry ?? 'task'}-[0-5]?[0-9]$`).test(task),
            );
            return strange && `with ${pools} of the pools, ${JSON.stringify(strange)} is no task of a pool`;
          }),
        ),
    },
    {
      id: 'choose-by-place',
      title: 'the task at a place depends on the place and the state only',
      cure: 'Compute the task from the place and the state alone: keep nothing in the instance, and draw no numbers.',
      run: async ({ create, stages }) => {
        const found: (string | undefined)[] = [];
        for (const { pools, steps: all } of stages) {
          const other = await create(pools);
          for (const { chosen, first, state } of all.toReversed()) {
            const parts = [
              ...(await other.choose(first + 5, groups - 5, structuredClone(state))),
              ...(await other.choose(first, 5, structuredClone(state))),
            ];
            const again = [...parts.slice(groups - 5), ...parts.slice(0, groups - 5)];
            const place = chosen.findIndex((one, index) => !isDeepStrictEqual(one, again[index]));
            if (place < 0) continue;
            found.push(
              `the place ${first + place} has ${JSON.stringify(chosen[place])}, and ${JSON.stringify(again[place])} when it is asked for in another order`,
            );
            break;
          }
        }
        return found;
      },
    },
    {
      id: 'state-is-data',
      title: 'states are data, the same outcomes give the same state, and states do not change',
      cure: 'Return a new object of JSON from update(), computed from its arguments alone.',
      run: async ({ create, stages }) => {
        const found: (string | undefined)[] = [];
        for (const { pools, steps: all } of stages) {
          const other = await create(pools);
          found.push(notJson(other.initialState, 'initialState'));
          for (const [index, { played, state }] of all.entries()) {
            const given = structuredClone(state);
            const next = await other.update?.(given, played);
            if (!isDeepStrictEqual(given, state))
              found.push(`update() changes the state that it gets in step ${index + 1}`);
            if (next === undefined) continue;
            found.push(notJson(next, `the state after step ${index + 1}`));
            const later = all[index + 1]?.state;
            if (later !== undefined && !isDeepStrictEqual(next, later))
              found.push(`step ${index + 1} gives another state the second time`);
          }
        }
        return [...new Set(found)];
      },
    },
    {
      id: 'metrics-finite',
      title: 'metrics() returns finite numbers',
      cure: 'Return numbers only, also before the first step.',
      idle: ({ stages }) => (stages.length === 0 ? 'nothing was played' : undefined),
      run: async ({ create, stages }) => {
        const curriculum = await create('one');
        const states = [curriculum.initialState, ...(stages[0]?.steps.map(({ state }) => state) ?? [])];
        return states.flatMap((state) =>
          Object.entries(curriculum.metrics?.(state) ?? {}).map(([name, number]: [string, unknown]) =>
            Number.isFinite(number) ? undefined : `${name} is ${String(number)}`,
          ),
        );
      },
    },
  ],
  prepare: async (subject, { seed = 1 }) => {
    const create = async (which: 'one' | 'two'): Promise<Curriculum> => {
      const pools = entries
        .slice(...(which === 'one' ? [0, 1] : [1]))
        .map(([entry, weight]) => poolOf(createRandom(seed), entry, weight));
      const made = await subject.create(subject.options as never, testHost(seed), pools as [TaskPool, ...TaskPool[]]);
      return checkShape(made, instanceShapes.curriculum, 'create()');
    };
    const stages = [];
    for (const pools of ['one', 'two'] as const) {
      stages.push({ pools, steps: await playStage(await create(pools), createRandom(seed).stream('outcomes', pools)) });
    }
    return { create, stages };
  },
});
