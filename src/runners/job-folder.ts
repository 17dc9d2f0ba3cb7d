// The folder that a job on a cluster begins with: recipe.json, task.json and, where a run goes on, the run's folder. On a
// shared disk, the job also tells there what it does: events.jsonl, and outcome.json at the end.
import { join } from 'node:path';

import { readTextFile } from '../files/read-whole-file.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { reasonOf } from '../errors/message-of.js';
import type { RunLabel } from '../runs/run-label.js';

/** `task.json`: what a job does besides its recipe. */
export interface JobTask {
  readonly formatVersion: 1;
  /** Version of agentgym that made it. */
  readonly agentgym: string;
  /** The label that the run gets. */
  readonly label: RunLabel;
  /** Folder of the run, on a disk that the nodes share. Absent: the job keeps the run to itself and sends it. */
  readonly directory?: string | undefined;
  /** Memory that the run may use, in bytes. Absent: what is available on the node. */
  readonly memoryBytes?: number | undefined;
  readonly checksMemory: boolean;
}

export const jobFiles = {
  task: 'task.json',
  recipe: 'recipe.json',
  run: 'run',
  events: 'events.jsonl',
  outcome: 'outcome.json',
} as const;

/** @throws AG_RUNNER_UNAVAILABLE if another version of agentgym made it: numbers of one grid must be comparable */
export async function readTask(folder: string, version: string): Promise<JobTask> {
  const file = join(folder, jobFiles.task);
  let task: JobTask;
  try {
    task = JSON.parse(await readTextFile(file)) as JobTask;
  } catch (error) {
    const message = `${folder} is not the folder of a job: ${reasonOf(error)}.`;
    throw new AgentgymError('AG_RUNNER_UNAVAILABLE', { message, file, cause: error });
  }
  if (task.agentgym === version) return task;
  throw new AgentgymError('AG_RUNNER_UNAVAILABLE', {
    message: `The node has agentgym ${version}, and the job comes from ${task.agentgym}.`,
    hint: `Install @agentgym/cli@${task.agentgym} on the nodes, or name it with \`--runner-option command=\`.`,
    file,
  });
}
