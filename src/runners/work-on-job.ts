import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import type { RunEvent } from '../contracts/events.js';
import { isAgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import type { TrainingRequest } from '../experiments/start-training.js';
import type { RunLabel } from '../runs/run-label.js';
import type { RunResult } from '../runs/run-result.js';
import { FolderSender } from './frames/folder-sender.js';
import { type Frame, frameLine } from './frames/frame.js';
import { jobFiles, readTask } from './job-folder.js';
import { failureOf } from './failure-of.js';
import type { TrainOutcome } from './runner.js';

export interface JobWork {
  /** The folder of the job. */
  readonly folder: string;
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
 * Trains the run of a job, or resumes it if its folder has come along, and writes frames. It ends without an exception
 * once it could tell how the run ended.
 */
export async function workOnJob({ folder, version, write, train }: JobWork): Promise<void> {
  let seq = 0;
  const send = (frame: Frame) => write(frameLine({ ...frame, seq: seq++ }));
  send({ type: 'hello', agentgym: version, node: process.version });
  let own: string | undefined;
  let outcome: TrainOutcome;
  let sender: FolderSender | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const task = await readTask(folder, version);
    own = task.directory === undefined ? mkdtempSync(join(tmpdir(), 'agentgym-job-')) : undefined;
    const directory = task.directory ?? join(own ?? '', jobFiles.run);
    const earlier = join(folder, jobFiles.run);
    if (own !== undefined && existsSync(earlier)) cpSync(earlier, directory, { recursive: true });
    const resume = existsSync(join(directory, 'manifest.json'));
    if (own !== undefined) sender = new FolderSender(directory, send);
    const sync = () => existsSync(directory) && sender?.sync(false);
    timer = setInterval(sync, syncMilliseconds);
    const result = await train(
      {
        sets: [],
        cwd: process.cwd(),
        runsFolder: dirname(directory),
        ...(resume
          ? { resume: directory }
          : {
              source: resolve(folder, jobFiles.recipe),
              output: directory,
              ...(isLabel(task.label) && { label: task.label }),
            }),
        memory: {
          short: task.checksMemory ? 'refuse' : 'ignore',
          ...(task.memoryBytes !== undefined && { share: task.memoryBytes }),
        },
      },
      (event) => {
        send({ type: 'event', event });
        if (event.type === 'stage-finished') sync();
      },
    );
    outcome = { status: result.status, seconds: result.seconds };
  } catch (error) {
    outcome = outcomeOf(error);
  } finally {
    clearInterval(timer);
  }
  if (sender !== undefined && existsSync(sender.folder)) sender.sync(true);
  send({ type: 'end', outcome });
  if (own !== undefined) rmSync(own, { recursive: true, force: true });
}

const isLabel = ({ name, note, tags }: RunLabel) => name !== undefined || note !== undefined || tags.length > 0;

function outcomeOf(error: unknown): TrainOutcome {
  if (!isAgentgymError(error)) return { status: 'failed', cause: messageOf(error) };
  if (error.code === 'AG_INTERRUPTED') return { status: 'interrupted', seconds: 0 };
  return failureOf(error);
}
