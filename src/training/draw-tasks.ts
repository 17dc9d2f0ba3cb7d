import type { ChosenTask, Curriculum, PlayedTask } from '../contracts/curriculum.js';
import type { JsonObject } from '../contracts/json.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';

/** What hands out the tasks of a stage, and what every task must pass before it is played. */
export interface TaskSupply {
  /** Its name in the recipe. */
  readonly name: string;
  readonly curriculum: Curriculum;
  /** Number of training tasks of all entries; Infinity: unbounded. */
  readonly count: number;
  /** Throws if a task may not be played in training. */
  readonly admit: (tasks: readonly ChosenTask[]) => Promise<void>;
}

/** The tasks at `count` places from `first`. */
export type DrawTasks = (first: number, count: number) => Promise<readonly ChosenTask[]>;

/**
 * The tasks that a curriculum hands out in a step with this state. Every answer is checked.
 *
 * @throws AG_CURRICULUM if the curriculum throws, or answers with another number of tasks, with something else than tasks, or
 * again and again with one task although there are others; what `admit` throws
 */
export function drawTasks({ name, curriculum, count: available, admit }: TaskSupply, state: JsonObject): DrawTasks {
  const drawn = new Map<string, number>();
  let places = 0;
  return async (first, count) => {
    const answer: unknown = await asked(name, 'choose', () => curriculum.choose(first, count, state));
    if (!Array.isArray(answer) || answer.length !== count) {
      const told = Array.isArray(answer) ? `${answer.length} tasks` : `${typeof answer}`;
      throw wrong(name, `was asked for ${count} tasks, and answered with ${told}`);
    }
    const tasks = answer.map((one: unknown, index) => {
      const { entry, task } = (one ?? {}) as Partial<Record<'entry' | 'task', unknown>>;
      if (typeof task !== 'string' || (entry !== undefined && typeof entry !== 'string')) {
        throw wrong(name, `answered for the place ${first + index} with ${JSON.stringify(one)}, which is not a task`);
      }
      return { ...(entry !== undefined && { entry }), task };
    });
    places += count;
    // Where a round of a shuffled split ends, the next one may begin with the same task.
    const most = Math.ceil(places / available) + 1;
    for (const { entry, task } of tasks) {
      const key = JSON.stringify([entry, task]);
      const times = (drawn.get(key) ?? 0) + 1;
      if (times > most) {
        throw wrong(name, `hands out the task "${task}" ${times} times in one step, although there are others`);
      }
      drawn.set(key, times);
    }
    await admit(tasks);
    return tasks;
  };
}

/** The state of a curriculum after a step. Throws AG_CURRICULUM if it throws, or if the state is not data. */
export async function updateCurriculum(
  { name, curriculum }: Pick<TaskSupply, 'name' | 'curriculum'>,
  state: JsonObject,
  played: readonly PlayedTask[],
): Promise<JsonObject> {
  if (curriculum.update === undefined) return state;
  const next: unknown = await asked(name, 'update', () => curriculum.update?.(state, played));
  const text = typeof next === 'object' && next !== null && !Array.isArray(next) ? JSON.stringify(next) : undefined;
  if (text === undefined) throw wrong(name, 'has a state that is not an object of data');
  // A checkpoint keeps this, so a step after it must not see anything else.
  return JSON.parse(text) as JsonObject;
}

async function asked<T>(name: string, member: string, ask: () => T): Promise<Awaited<T>> {
  try {
    return await ask();
  } catch (error) {
    if (isAgentgymError(error)) throw error;
    throw new AgentgymError('AG_CURRICULUM', {
      message: `The curriculum \`${name}\` failed in ${member}: ${messageOf(error)}.`,
      path: 'curriculum',
      cause: error,
    });
  }
}

function wrong(name: string, problem: string): AgentgymError {
  return new AgentgymError('AG_CURRICULUM', { message: `The curriculum \`${name}\` ${problem}.`, path: 'curriculum' });
}
