// What a job tells where its node shares a disk with the machine that submitted it: files in the job's folder. The run's
// folder is on that disk, too, so nothing travels through a log, and nothing that a node prints is taken for a report.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';

import * as v from 'valibot';

import type { RunEvent } from '../contracts/events.js';
import { openRegularFile } from '../files/open-regular-file.js';
import { parseKnown, readKnownJson } from '../files/read-known-json.js';
import { writeJsonAtomically } from '../runs/durable-files.js';
import { asciiJson } from '../processes/ascii-json.js';
import { BoundedLines } from '../processes/bounded-lines.js';
import { jobFiles } from './job-folder.js';
import { type JobReport, longestLine } from './job-report.js';
import { toldOutcome, outcomeSchema } from './outcome-schema.js';
import { readEvent } from './read-event.js';
import type { TrainOutcome } from './runner.js';

export function diskReport(folder: string): JobReport {
  return {
    event: (event) => {
      try {
        appendFileSync(join(folder, jobFiles.events), `${asciiJson(event)}\n`);
      } catch {
        // Events are only shown. The run itself says what is wrong with the disk.
      }
    },
    follow: () => undefined,
    sync: () => undefined,
    end: (outcome) => writeJsonAtomically(join(folder, jobFiles.outcome), { formatVersion: 1, ...outcome }),
  };
}

/** Reads what a `diskReport` writes, while it is written. */
export class DiskReportReader {
  readonly #lines = new BoundedLines(longestLine);
  readonly #decoder = new StringDecoder('utf8');
  #position = 0;

  constructor(private readonly folder: string) {}

  /** The events since the last call. */
  async *events(): AsyncGenerator<RunEvent> {
    const path = join(this.folder, jobFiles.events);
    const file = await openRegularFile(path, 'refuse').catch(() => undefined);
    if (file === undefined) return;
    try {
      const chunk = Buffer.alloc(1 << 16);
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunk.length, this.#position);
        if (bytesRead === 0) return;
        this.#position += bytesRead;
        for (const line of this.#lines.read(this.#decoder.write(chunk.subarray(0, bytesRead)))) {
          const event = readEvent(parseKnown(v.unknown(), line));
          if (event !== undefined) yield event;
        }
      }
    } finally {
      await file.close();
    }
  }

  /** How the run ended; undefined as long as the job has not told it. */
  async outcome(): Promise<TrainOutcome | undefined> {
    const path = join(this.folder, jobFiles.outcome);
    const told = await readKnownJson(outcomeSchema, path, longestLine, 'refuse');
    return told && toldOutcome(told);
  }
}
