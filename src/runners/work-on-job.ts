import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import type { RunEvent } from '../contracts/events.js';
import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import type { TrainingRequest } from '../experiments/start-training.js';
import type { RunLabel } from '../runs/run-label.js';
import type { RunResult } from '../runs/run-result.js';
import { diskReport } from './disk-report.js';
import { failureOf } from './failure-of.js';
import { framedReport } from './frames/framed-report.js';
import { jobFiles, type JobTask, readTask } from './job-folder.js';
import { jobKeyVariable } from './job-key.js';
import { interrupted, type TrainOutcome } from './runner.js';

export interface JobWork {
  /** The folder of the job. */
  readonly folder: string;
  /** With which the job signs what it tells on its output. Absent: it tells everything in its folder. */
  readonly key?: string;
  readonly version: string;
  readonly write: (text: string) => void;
  readonly train: (
    request: Omit<TrainingRequest, 'host' | 'settings' | 'version'>,
    listener: (event: RunEvent) => void,
  ) => Promise<RunResult>;
}

/** Milliseconds between two looks at the run's folder. */
const syncMilliseconds = 10_000;

/**
 * Trains the run of a job, or resumes it if its folder has come along, and tells what it does. It ends without an
 * exception once it could tell how the run ended.
 */
export async function workOnJob({ folder, key, version, write, train }: JobWork): Promise<void> {
  const report = key === undefined ? diskReport(folder) : framedReport(write, key, version);
  let own: string | undefined;
  let outcome: TrainOutcome;
  let timer: NodeJS.Timeout | undefined;
  try {
    const task = await readTask(folder, version);
    if (task.directory === undefined && key === undefined) throw keyMissing(folder);
    own = task.directory === undefined ? mkdtempSync(join(tmpdir(), 'agentgym-job-')) : undefined;
    const directory = task.directory ?? join(own ?? '', jobFiles.run);
    const earlier = join(folder, jobFiles.run);
    if (own !== undefined && existsSync(earlier)) cpSync(earlier, directory, { recursive: true });
    report.follow(directory, earlier);
    timer = setInterval(() => report.sync(), syncMilliseconds);
    const result = await train(trainingOf(task, directory, folder), (event) => {
      report.event(event);
      if (event.type === 'stage-finished') report.sync();
    });
    outcome = { status: result.status, seconds: result.seconds };
  } catch (error) {
    outcome = outcomeOf(error);
  } finally {
    clearInterval(timer);
  }
  await report.end(outcome);
  if (own !== undefined) rmSync(own, { recursive: true, force: true });
}

function trainingOf(task: JobTask, directory: string, folder: string): Parameters<JobWork['train']>[0] {
  const fresh = {
    source: resolve(folder, jobFiles.recipe),
    output: directory,
    ...(isLabel(task.label) && { label: task.label }),
  };
  return {
    sets: [],
    cwd: process.cwd(),
    runsFolder: dirname(directory),
    ...(existsSync(join(directory, 'manifest.json')) ? { resume: directory } : fresh),
    memory: { short: task.checksMemory ? 'refuse' : 'ignore', share: task.memoryBytes },
  };
}

function keyMissing(folder: string): AgentgymError {
  return new AgentgymError('AG_RUNNER_UNAVAILABLE', {
    message: `The job in ${folder} has no ${jobKeyVariable} in its environment, so its messages would be rejected.`,
    hint: 'Pass the environment variables of the job on to agentgym, for example into its container.',
  });
}

const isLabel = ({ name, note, tags }: RunLabel) => name !== undefined || note !== undefined || tags.length > 0;

function outcomeOf(error: unknown): TrainOutcome {
  if (!isAgentgymError(error)) return { status: 'failed', cause: messageOf(error) };
  if (error.code === 'AG_INTERRUPTED') return interrupted;
  return failureOf(error);
}
