import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { shellWord } from '../../errors/shell-word.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeJsonAtomically } from '../../runs/durable-files.js';
import { jobFiles, type JobTask } from '../job-folder.js';
import { jobKeyVariable } from '../job-key.js';
import { refuseControls } from '../refuse-controls.js';
import { jobName, type TrainingJob } from '../runner.js';
import { packFiles, projectFiles, runFiles } from './job-package.js';
import type { RayClient } from './ray-client.js';
import type { RayOptions } from './ray-options.js';
import type { RaySettings } from './ray-settings.js';

/** Seconds that Ray leaves a job to save its run. Ray's default is 3. */
export const stopSeconds = 120;

const bytesPerGiB = 2 ** 30;

export interface Submission {
  readonly job: TrainingJob;
  readonly settings: RaySettings;
  /** Whether the job continues the run that is here. */
  readonly resume: boolean;
  readonly id: string;
  readonly key: string;
  /** The job's folder, on a disk that the nodes share. */
  readonly folder: string;
}

/** Submits a job that trains a run. */
export async function submitJob(client: RayClient, submission: Submission, signal: AbortSignal): Promise<void> {
  const { id, job, key, settings } = submission;
  const { cpus, gpus, sharedDisk } = settings.options;
  const variables = variablesOf(settings);
  const place = sharedDisk ? await onDisk(submission) : await inPackage(client, submission, signal);
  await client.submit(
    {
      entrypoint: place.entrypoint,
      submission_id: id,
      runtime_env: {
        working_dir: place.working_dir,
        env_vars: {
          RAY_JOB_STOP_WAIT_TIME_S: `${stopSeconds}`,
          ...variables,
          ...(!sharedDisk && { [jobKeyVariable]: key }),
        },
      },
      metadata: { name: jobName(job), program: 'agentgym' },
      entrypoint_num_cpus: cpus,
      entrypoint_num_gpus: gpus,
      entrypoint_memory: memoryOf(settings.options),
    },
    signal,
  );
}

interface Place {
  readonly entrypoint: string;
  readonly working_dir?: string | undefined;
}

async function onDisk(submission: Submission): Promise<Place> {
  const { folder, job, settings } = submission;
  for (const path of [process.cwd(), folder]) refuseControls(path, 'The runner ray');
  await makeFolder(folder);
  await writeJsonAtomically(join(folder, jobFiles.recipe), job.recipe);
  await writeJsonAtomically(join(folder, jobFiles.task), taskOf(submission));
  return { entrypoint: `cd ${shellWord(process.cwd())} && ${settings.options.command} work ${shellWord(folder)}` };
}

async function inPackage(client: RayClient, submission: Submission, signal: AbortSignal): Promise<Place> {
  const { job, resume, settings } = submission;
  const { name, bytes } = packFiles({
    ...(settings.project !== undefined && projectFiles(settings.project)),
    [`job/${jobFiles.recipe}`]: Buffer.from(JSON.stringify(job.recipe)),
    [`job/${jobFiles.task}`]: Buffer.from(`${JSON.stringify(taskOf(submission), null, 2)}\n`),
    ...(resume && existsSync(job.directory) && runFiles(job.directory, `job/${jobFiles.run}/`)),
  });
  return { entrypoint: `${settings.options.command} work job`, working_dir: await client.upload(name, bytes, signal) };
}

function taskOf({ job, settings }: Submission): JobTask {
  const { checksMemory, options, version } = settings;
  const directory = options.sharedDisk ? job.directory : undefined;
  const about = { agentgym: version, label: job.label, directory, memoryBytes: memoryOf(options) };
  return { formatVersion: 1, ...about, checksMemory };
}

function memoryOf({ memoryGiB }: RayOptions): number | undefined {
  return memoryGiB === null ? undefined : Math.floor(memoryGiB * bytesPerGiB);
}

function variablesOf({ environment, options }: RaySettings): { readonly [name: string]: string } {
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
