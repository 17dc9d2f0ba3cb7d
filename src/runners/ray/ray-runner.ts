// Trains each run as a job of a Ray cluster, through Ray's Jobs API. The job trains as `agentgym train` does, and tells
// what it does on its output (frames/frame.ts). This process follows the output and writes the run's folder here.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { RunEvent } from '../../contracts/events.js';
import { AgentgymError, isAgentgymError } from '../../errors/agentgym-error.js';
import { shellWord } from '../../errors/shell-word.js';
import { makeFolder } from '../../reporting/make-folder.js';
import { writeJsonAtomically } from '../../runs/durable-files.js';
import { failureOf } from '../failure-of.js';
import { FolderReceiver } from '../frames/folder-receiver.js';
import { FrameReader } from '../frames/frame-reader.js';
import { type JobTask, jobFiles } from '../job-folder.js';
import { jobName, type Runner, type TrainingJob, type TrainOutcome } from '../runner.js';
import { packFiles, projectFiles, runFiles } from './job-package.js';
import type { RayAddress } from './ray-address.js';
import { RayClient, type RayJob } from './ray-client.js';
import type { RayOptions } from './ray-options.js';

export interface RaySettings {
  readonly address: RayAddress;
  readonly options: RayOptions;
  /** Runs at the same time. Absent: as many as the cluster has cores and GPUs for. */
  readonly workers?: number;
  readonly checksMemory: boolean;
  readonly version: string;
  /** The folder of a project whose files jobs need. Absent: none. */
  readonly project?: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** `JOB.job.json` beside a run's folder: the job that trains it, so that another process can follow it. */
interface JobRecord {
  readonly formatVersion: 1;
  readonly address: string;
  readonly id: string;
}

/** Seconds that Ray leaves a job to save its run. Ray's default is 3. */
const stopSeconds = 120;
/** Milliseconds between two looks at a job that has no output to follow. */
const lookMilliseconds = 1000;

/** Milliseconds to wait for the first node of a head. */
const nodeMilliseconds = 30_000;

const bytesPerGiB = 2 ** 30;

/** @throws AG_RUNNER_UNAVAILABLE if there is no head, or if it has another version */
export async function rayRunner(settings: RaySettings, signal: AbortSignal): Promise<Runner> {
  const { address, options } = settings;
  const client = new RayClient(address, options.outageMinutes * 60_000);
  await client.checkVersion(signal);
  const workers = settings.workers ?? (await roomFor(client, options, signal));
  return {
    workers,
    sharesDisk: options.sharedDisk,
    train: async (job, resume, listener, abort) =>
      new RayTraining(client, settings, job, listener).train(resume, abort),
  };
}

/** Runs that fit into the cluster at the same time. */
async function roomFor(client: RayClient, { cpus, gpus }: RayOptions, signal: AbortSignal): Promise<number> {
  let there = await client.resources(signal);
  // A head that has just started has no nodes for some seconds.
  for (let waited = 0; there.nodes === 0 && waited < nodeMilliseconds; waited += lookMilliseconds) {
    await sleep(lookMilliseconds, undefined, { signal });
    there = await client.resources(signal);
  }
  const room = Math.floor(Math.min(there.cpus / Math.max(cpus, 0.01), gpus === 0 ? Infinity : there.gpus / gpus));
  if (room >= 1) return Math.min(room, 256);
  throw new AgentgymError('AG_RUNNER_UNAVAILABLE', {
    message: `A run reserves ${cpus} cores and ${gpus} GPUs, and ${client.url} has ${there.cpus} and ${there.gpus}.`,
    hint: 'Lower `--runner-option cpus=` or `gpus=`, or name the number of runs with `--workers`.',
  });
}

/** One run, over the jobs that train it one after another. */
class RayTraining {
  readonly #record: string;
  /** The folder of the job, on a disk that the nodes share. */
  readonly #folder: string;
  readonly #receiver: FolderReceiver | undefined;

  constructor(
    private readonly client: RayClient,
    private readonly settings: RaySettings,
    private readonly job: TrainingJob,
    private readonly listener: (event: RunEvent) => void,
  ) {
    this.#record = `${job.directory}.job.json`;
    this.#folder = `${job.directory}.job`;
    if (!settings.options.sharedDisk) this.#receiver = new FolderReceiver(job.directory);
  }

  async train(resume: boolean, signal: AbortSignal): Promise<TrainOutcome> {
    const { attempts } = this.settings.options;
    try {
      let id = await this.#jobUnderWay(signal);
      for (let attempt = 1; ; attempt += 1) {
        if (signal.aborted) return { status: 'interrupted', seconds: 0 };
        id ??= await this.#submit(resume || attempt > 1, signal);
        const ended = await this.#follow(id, signal);
        await this.client.delete(id, new AbortController().signal).catch(() => undefined);
        for (const path of [this.#record, this.#folder]) await rm(path, { recursive: true, force: true });
        if ('outcome' in ended) return ended.outcome;
        if (signal.aborted) return { status: 'interrupted', seconds: 0 };
        if (attempt >= attempts) {
          return { status: 'failed', cause: `the job was lost ${attempt} times: ${ended.lost}` };
        }
        this.#receiver?.forget();
        const message = `the job was lost (${ended.lost}); it is submitted again, ${attempt + 1} of ${attempts} times`;
        this.listener({ type: 'warning', message });
        id = undefined;
      }
    } catch (error) {
      if (signal.aborted) return { status: 'interrupted', seconds: 0 };
      if (isAgentgymError(error)) return failureOf(error);
      throw error;
    } finally {
      this.#receiver?.release();
    }
  }

  /** The job that an earlier process submitted, if the head still has it. */
  async #jobUnderWay(signal: AbortSignal): Promise<string | undefined> {
    if (!existsSync(this.#record)) return undefined;
    const { address, id } = JSON.parse(await readFile(this.#record, 'utf8')) as JobRecord;
    if (address !== this.client.url) return undefined;
    return (await this.client.job(id, signal)) === undefined ? undefined : id;
  }

  async #submit(resume: boolean, signal: AbortSignal): Promise<string> {
    const { client, job, settings } = this;
    const { options } = settings;
    const id = `agentgym-${randomBytes(8).toString('hex')}`;
    const memoryBytes = options.memoryGiB === null ? undefined : Math.floor(options.memoryGiB * bytesPerGiB);
    const task: JobTask = {
      formatVersion: 1,
      agentgym: settings.version,
      label: job.label,
      ...(options.sharedDisk && { directory: job.directory }),
      ...(memoryBytes !== undefined && { memoryBytes }),
      checksMemory: settings.checksMemory,
    };
    let place: { readonly entrypoint: string; readonly working_dir?: string };
    if (options.sharedDisk) {
      const folder = this.#folder;
      await makeFolder(folder);
      await writeJsonAtomically(join(folder, jobFiles.recipe), job.recipe);
      await writeJsonAtomically(join(folder, jobFiles.task), task);
      place = { entrypoint: `cd ${shellWord(process.cwd())} && ${options.command} work ${shellWord(folder)}` };
    } else {
      const { name, bytes } = packFiles({
        ...(settings.project !== undefined && projectFiles(settings.project)),
        [`job/${jobFiles.recipe}`]: Buffer.from(JSON.stringify(job.recipe)),
        [`job/${jobFiles.task}`]: Buffer.from(`${JSON.stringify(task, null, 2)}\n`),
        ...(resume && existsSync(job.directory) && runFiles(job.directory, `job/${jobFiles.run}/`)),
      });
      place = { entrypoint: `${options.command} work job`, working_dir: await client.upload(name, bytes, signal) };
    }
    const record: JobRecord = { formatVersion: 1, address: client.url, id };
    await makeFolder(dirname(this.#record));
    await writeJsonAtomically(this.#record, record);
    await client.submit(
      {
        entrypoint: place.entrypoint,
        submission_id: id,
        runtime_env: {
          ...(place.working_dir !== undefined && { working_dir: place.working_dir }),
          env_vars: { RAY_JOB_STOP_WAIT_TIME_S: `${stopSeconds}`, ...this.#variables() },
        },
        metadata: { name: jobName(job), program: 'agentgym' },
        entrypoint_num_cpus: options.cpus,
        entrypoint_num_gpus: options.gpus,
        ...(memoryBytes !== undefined && { entrypoint_memory: memoryBytes }),
      },
      signal,
    );
    return id;
  }

  #variables(): { readonly [name: string]: string } {
    const { environment, options } = this.settings;
    return Object.fromEntries(
      options.variables.map((name): [string, string] => {
        const value = environment[name];
        if (value !== undefined) return [name, value];
        throw new AgentgymError('AG_RUNNER_UNAVAILABLE', {
          message: `The environment variable ${name} of \`--runner-option variables=\` is not set.`,
          hint: 'Set it, or remove it from the list.',
        });
      }),
    );
  }

  /** Follows a job to its end. An abort stops the job, which then saves its run and sends it. */
  async #follow(
    id: string,
    signal: AbortSignal,
  ): Promise<{ readonly outcome: TrainOutcome } | { readonly lost: string }> {
    const { client } = this;
    const reader = new FrameReader();
    const patience = new AbortController();
    const stop = () => {
      const limit = setTimeout(() => patience.abort(), (stopSeconds + 30) * 1000);
      limit.unref();
      client.stop(id, patience.signal).catch(() => patience.abort());
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      for (;;) {
        for await (const part of client.tail(id, patience.signal)) {
          const outcome = await this.#takePart(reader, part);
          if (outcome !== undefined) return { outcome };
        }
        reader.restart();
        const job = await client.job(id, patience.signal);
        if (job === undefined) return { lost: 'the head does not know it any more' };
        if (job.status !== 'PENDING' && job.status !== 'RUNNING') {
          // The connection may have ended before the output did.
          const outcome = await this.#takePart(reader, await client.logs(id, patience.signal).catch(() => ''));
          if (outcome !== undefined) return { outcome };
          // Somebody wanted it to end: a node that is lost fails.
          if (job.status === 'STOPPED') return { outcome: { status: 'interrupted', seconds: 0 } };
          return { lost: whyLost(job) };
        }
        await sleep(lookMilliseconds);
      }
    } catch (error) {
      if (patience.signal.aborted) return { lost: 'it did not end in time after it was stopped' };
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #takePart(reader: FrameReader, part: string): Promise<TrainOutcome | undefined> {
    for (const frame of reader.read(part)) {
      if (frame.type === 'event') this.listener(frame.event);
      else if (frame.type === 'end') return frame.outcome;
      else await this.#receiver?.take(frame);
    }
    return undefined;
  }
}

function whyLost({ status, message, driver_exit_code: code }: RayJob): string {
  // Shells answer so if they do not find or cannot start a command.
  if (code === 126 || code === 127) {
    return 'the nodes have no command agentgym; install @agentgym/cli there, or name the command with `--runner-option command=`';
  }
  const last = (message ?? '').trim().split('\n').at(-1) ?? '';
  return `${status}${last === '' ? '' : `: ${last.slice(0, 300)}`}`;
}
