import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import * as v from 'valibot';

import type { ChosenTask } from '../contracts/curriculum.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Training tasks that a run drew, each once, in the order in which they were drawn. */
export const drawnTasksFile = 'tasks.jsonl';

const line = v.looseObject({
  formatVersion: v.literal(1),
  /** The environment of the tasks, in a run of several. */
  entry: v.exactOptional(v.string()),
  tasks: v.array(v.string()),
});

/**
 * The tasks in the first `bytes` of the file of a run. Throws AG_RUN_DAMAGED for a line that is something else.
 *
 * @param bytes as the checkpoint notes it; 0: none
 */
export async function readDrawnTasks(run: string, bytes: number): Promise<readonly ChosenTask[]> {
  const file = join(run, drawnTasksFile);
  if (bytes === 0 || !existsSync(file)) return [];
  const tasks: ChosenTask[] = [];
  for await (const text of createInterface({ input: createReadStream(file, { end: bytes - 1 }) })) {
    const read = v.safeParse(line, parsed(text));
    if (!read.success) {
      throw new AgentgymError('AG_RUN_DAMAGED', { message: `A line of ${file} is no list of tasks.`, file });
    }
    const { entry, tasks: ids } = read.output;
    for (const task of ids) tasks.push({ ...(entry !== undefined && { entry }), task });
  }
  return tasks;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
