import { dirname } from 'node:path';

import * as v from 'valibot';

import { readKnownJson } from '../../files/read-known-json.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeJsonAtomically } from '../../runs/durable-files.js';

/** `RUN.job.json` beside a run's folder: the job that trains it, so that another process can follow it. */
const recordSchema = v.object({
  formatVersion: v.literal(1),
  address: v.string(),
  id: v.pipe(v.string(), v.regex(/^agentgym-[0-9a-f]{16}$/)),
  /** With which the job signs its frames. Only the user may read the file. */
  key: v.string(),
  /** The number of the last `commit` whose state is in the run's folder; -1: none. */
  taken: v.pipe(v.number(), v.safeInteger(), v.minValue(-1)),
});
export type JobRecord = v.InferOutput<typeof recordSchema>;

/** A record has some hundred bytes. */
const mostBytes = 2 ** 16;

/** Undefined if there is none that can be used: the run then gets a new job. */
export async function readJobRecord(file: string): Promise<JobRecord | undefined> {
  return readKnownJson(recordSchema, file, mostBytes, 'refuse');
}

export async function writeJobRecord(file: string, record: JobRecord): Promise<void> {
  await makeFolder(dirname(file));
  await writeJsonAtomically(file, record, 0o600);
}
