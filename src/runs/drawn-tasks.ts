import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import * as v from 'valibot';

import { AgentgymError } from '../errors/agentgym-error.js';

/** Training tasks that a run drew, each once, in the order in which they were drawn. */
export const drawnTasksFile = 'tasks.jsonl';

const line = v.looseObject({ formatVersion: v.literal(1), tasks: v.array(v.string()) });

/**
 * The tasks in the first `bytes` of the file of a run. Throws AG_RUN_DAMAGED for a line that is something else.
 *
 * @param bytes as the checkpoint notes it; 0: none
 */
export async function readDrawnTasks(run: string, bytes: number): Promise<readonly string[]> {
  const file = join(run, drawnTasksFile);
  if (bytes === 0 || !existsSync(file)) return [];
  const tasks: string[] = [];
  for await (const text of createInterface({ input: createReadStream(file, { end: bytes - 1 }) })) {
    const read = v.safeParse(line, parsed(text));
    if (!read.success) {
      throw new AgentgymError('AG_RUN_DAMAGED', { message: `A line of ${file} is no list of tasks.`, file });
    }
    tasks.push(...read.output.tasks);
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
