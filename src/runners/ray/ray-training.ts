import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { RunEvent } from '../../contracts/events.js';
import { isAgentgymError } from '../../errors/agentgym-error.js';
import { fileError } from '../../errors/system-error.js';
import { readManifest } from '../../runs/run-manifest.js';
import { readResult } from '../../runs/run-result.js';
import { failureOf } from '../failure-of.js';
import { FolderReceiver } from '../frames/folder-receiver.js';
import type { NumberedFrame } from '../frames/frame.js';
import { RefusedFrame } from '../frames/refused-frame.js';
import { newJobKey } from '../job-key.js';
import { toldOutcome } from '../outcome-schema.js';
import { readEvent } from '../read-event.js';
import { interrupted, type TrainingJob, type TrainOutcome } from '../runner.js';
import type { Ended } from './ended-job.js';
import { followDisk } from './follow-disk.js';
import { followLog } from './follow-log.js';
import { type JobRecord, readJobRecord, writeJobRecord } from './job-record.js';
import type { RayClient } from './ray-client.js';
import type { RaySettings } from './ray-settings.js';
import { stopSeconds, submitJob } from './submit-job.js';

/** Milliseconds until a network disk shows what a job wrote. */
const diskMilliseconds = 30_000;
/** Milliseconds that a job gets to end whose output cannot be used. */
const refusedMilliseconds = 10_000;

/** One run, over the jobs that train it one after another. */
export class RayTraining {
  readonly #recordFile: string;
  /** Files of this process and its jobs that pass. */
  readonly #workspace: string;
  /** Absent on a shared disk: jobs write the run's folder. */
  #receiver: FolderReceiver | undefined;

  constructor(
    private readonly client: RayClient,
    private readonly settings: RaySettings,
    private readonly job: TrainingJob,
    private readonly listener: (event: RunEvent) => void,
  ) {
    this.#recordFile = `${job.directory}.job.json`;
    this.#workspace = `${job.directory}.job`;
  }

  async train(resume: boolean, signal: AbortSignal): Promise<TrainOutcome> {
    const { attempts, sharedDisk } = this.settings.options;
    try {
      if (!sharedDisk) this.#receiver = new FolderReceiver(this.job.directory, join(this.#workspace, 'arriving'));
      let record = await this.#jobUnderWay(signal);
      for (let attempt = 1; ; attempt += 1) {
        if (signal.aborted) return interrupted;
        record ??= await this.#submit(resume || attempt > 1, signal);
        const ended = await this.#check(await this.#follow(record, signal));
        await this.client.delete(record.id, new AbortController().signal).catch(() => undefined);
        for (const path of [this.#recordFile, this.#workspace]) await rm(path, { recursive: true, force: true });
        if ('outcome' in ended) return ended.outcome;
        if (signal.aborted) return interrupted;
        if (attempt >= attempts) {
          return { status: 'failed', cause: `the job was lost ${attempt} times: ${ended.lost}` };
        }
        await this.#receiver?.forget();
        const message = `the job was lost (${ended.lost}); it is submitted again, ${attempt + 1} of ${attempts} times`;
        this.listener({ type: 'warning', message });
        record = undefined;
      }
    } catch (thrown) {
      if (signal.aborted) return interrupted;
      const error = fileError(thrown) ?? thrown;
      if (isAgentgymError(error)) return failureOf(error);
      throw error;
    } finally {
      this.#receiver?.release();
    }
  }

  /** The job that an earlier process submitted, if the head still has it. */
  async #jobUnderWay(signal: AbortSignal): Promise<JobRecord | undefined> {
    const record = await readJobRecord(this.#recordFile);
    if (record?.address !== this.client.url) return undefined;
    return (await this.client.job(record.id, signal)) === undefined ? undefined : record;
  }

  async #submit(resume: boolean, signal: AbortSignal): Promise<JobRecord> {
    const { client, job, settings } = this;
    const id = `agentgym-${randomBytes(8).toString('hex')}`;
    const record: JobRecord = { formatVersion: 1, address: client.url, id, key: newJobKey(), taken: -1 };
    await writeJobRecord(this.#recordFile, record);
    const folder = this.#folderOf(record);
    await submitJob(client, { job, settings, resume, id, key: record.key, folder }, signal);
    return record;
  }

  /** A job that was lost and comes back writes in a folder of its own. */
  #folderOf({ id }: JobRecord): string {
    return join(this.#workspace, id);
  }

  /** Follows a job to its end. An abort stops the job, which then saves its run and tells it. */
  async #follow(record: JobRecord, signal: AbortSignal): Promise<Ended> {
    const { client, listener } = this;
    const { id } = record;
    const patience = new AbortController();
    const stop = () => {
      const limit = setTimeout(() => patience.abort(), (stopSeconds + 30) * 1000);
      limit.unref();
      client.stop(id, patience.signal).catch(() => patience.abort());
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const receiver = this.#receiver;
      if (receiver === undefined) {
        return await followDisk(client, id, this.#folderOf(record), listener, patience.signal);
      }
      const take = (frame: NumberedFrame) => this.#take(frame, record, receiver);
      return await followLog(client, record, take, patience.signal);
    } catch (error) {
      if (patience.signal.aborted) return { lost: 'it did not end in time after it was stopped' };
      if (!(error instanceof RefusedFrame)) throw error;
      await client.stop(id, AbortSignal.timeout(refusedMilliseconds)).catch(() => undefined);
      return { lost: `what it sent cannot be used: ${error.message}` };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Returns the outcome once the job has told it. */
  async #take(frame: NumberedFrame, record: JobRecord, receiver: FolderReceiver): Promise<TrainOutcome | undefined> {
    if (frame.type === 'end') return toldOutcome(frame.outcome);
    const event = frame.type === 'event' ? readEvent(frame.event) : undefined;
    if (event !== undefined) this.listener(event);
    // An earlier process may have taken it.
    if (frame.seq <= record.taken) return undefined;
    await receiver.take(frame);
    if (frame.type === 'commit') await writeJobRecord(this.#recordFile, { ...record, taken: frame.seq });
    return undefined;
  }

  /** A run that is said to be complete must be here. */
  async #check(ended: Ended): Promise<Ended> {
    if (!('outcome' in ended) || !['completed', 'stopped'].includes(ended.outcome.status)) return ended;
    const { directory } = this.job;
    const until = performance.now() + (this.#receiver === undefined ? diskMilliseconds : 0);
    for (;;) {
      const manifest = await readManifest(directory).catch(() => undefined);
      if (manifest?.status === ended.outcome.status && (await readResult(directory)) !== undefined) return ended;
      if (performance.now() >= until) break;
      await sleep(1000);
    }
    return { lost: `it reported that its run is ${ended.outcome.status}, but ${directory} has no such run` };
  }
}
