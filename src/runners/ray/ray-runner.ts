// Trains each run as a job of a Ray cluster, through Ray's Jobs API. The job trains as `agentgym train` does, and tells
// what it does on its output (frames/frame.ts), or in its folder on a shared disk (disk-report.ts).
import { setTimeout as sleep } from 'node:timers/promises';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { waitTeller } from '../../transfers/tell-waits.js';
import type { Runner } from '../runner.js';
import { RayClient } from './ray-client.js';
import type { RayOptions } from './ray-options.js';
import type { RaySettings } from './ray-settings.js';
import { RayTraining } from './ray-training.js';

/** Milliseconds between two questions for the first node of a head. */
const lookMilliseconds = 1000;
/** Milliseconds to wait for it. */
const nodeMilliseconds = 30_000;

/** @throws AG_RUNNER_UNAVAILABLE if there is no head, or if it has another version */
export async function rayRunner(settings: RaySettings, signal: AbortSignal): Promise<Runner> {
  const { address, options } = settings;
  const client = new RayClient(address, options.outageMinutes * 60_000, waitTeller(settings.tell));
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
