import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { RunEvent } from '../contracts/events.js';
import { channelValue, channelVariable } from '../reporting/show-progress.js';
import { readManifest } from '../runs/run-manifest.js';
import { makeFolder } from '../files/make-folder.js';
import type { RunLabel } from '../runs/run-label.js';
import type { RunResult } from '../runs/run-result.js';
import { toldOutcome } from './outcome-schema.js';
import { interrupted, type TrainingJob, type TrainOutcome } from './runner.js';

const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url));
/** Lines of standard error to keep if the process ends without output on standard output. */
const keptLines = 20;

/**
 * Trains a run in its own process, or resumes it: `agentgym train`, with the recipe written next to
 * the run. An abort makes it save a checkpoint and end.
 *
 * @param memoryBytes memory that the run may use; null: it does not check whether it fits; absent: all that is available
 */
export async function trainInProcess(
  job: TrainingJob,
  resume: boolean,
  listener: (event: RunEvent) => void,
  signal: AbortSignal,
  memoryBytes?: number | null,
): Promise<TrainOutcome> {
  const { directory, label, sharedGames, sharedStages } = job;
  const recipe = await writeRecipe(job);
  const what = resume ? await resumeWords(job) : [recipe, '--output', directory, ...labelWords(label)];
  const shared = [...flag('--shared-stages', sharedStages), ...flag('--shared-games', sharedGames)];
  const memory = memoryBytes === null ? ['--no-memory-check'] : flag('--memory-share', memoryBytes);
  const child = spawn(process.execPath, [bin, 'train', ...what, ...shared, ...memory, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, [channelVariable]: channelValue },
    // In a separate session, Ctrl-C reaches it only once, through this process.
    detached: true,
  });
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => output.push(text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.on('message', (message) => listener(message as RunEvent));
  const interrupt = () => void child.kill('SIGINT');
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    // Until it handles the signal, it ends without a document.
    if (signal.aborted && child.signalCode === 'SIGINT') return interrupted;
    return processOutcome(code ?? child.signalCode ?? 'a signal', output.join(''), errors.join(''));
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

function labelWords({ name, note, tags }: RunLabel): string[] {
  return [...flag('--name', name), ...tags.flatMap((tag) => ['--tag', tag]), ...flag('--note', note)];
}

/** A flag with its value; nothing without one. */
function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, `${value}`];
}

/** Writes the recipe beside the run's folder, and returns the file. */
export async function writeRecipe({ directory, recipe }: TrainingJob): Promise<string> {
  const file = `${directory}.json`;
  await makeFolder(dirname(file));
  await writeFile(file, `${JSON.stringify(recipe, null, 2)}\n`);
  return file;
}

/** A run resumes with its own recipe. Only its trackers may have been changed since it began. */
async function resumeWords({ directory, recipe }: TrainingJob): Promise<string[]> {
  const { tracking } = (await readManifest(directory)).recipe;
  const [before, now] = [JSON.stringify(tracking), JSON.stringify(recipe.tracking)];
  return ['--resume', directory, ...(before === now ? [] : ['--set', `tracking=${now}`])];
}

/** V8 ends the process with a dump. */
const outOfMemory =
  'the process ran out of memory: collect fewer episodes at a time, train fewer runs together (`--workers`), or allow Node.js more (`NODE_OPTIONS=--max-old-space-size=MEGABYTES`)';

/** @param end the exit code, or the signal that ended the process */
export function processOutcome(end: number | string, output: string, errors: string): TrainOutcome {
  let document: (Partial<RunResult> & { error?: { code: string; message: string; hint?: string } }) | undefined;
  try {
    document = JSON.parse(output) as typeof document;
  } catch {
    // The process ended before it wrote its result.
  }
  if (document?.status !== undefined) return { status: document.status, seconds: document.seconds ?? 0 };
  if (document?.error?.code === 'AG_INTERRUPTED') return interrupted;
  if (document?.error !== undefined) {
    const { code, hint, message } = document.error;
    return toldOutcome({ status: 'failed', cause: message, code, hint });
  }
  if (/JavaScript heap out of memory/.test(errors)) return { status: 'failed', cause: outOfMemory };
  const last = errors.trim().split('\n').slice(-keptLines).join('\n');
  return { status: 'failed', cause: `the process ended with ${end}${last === '' ? '' : `: ${last}`}` };
}
