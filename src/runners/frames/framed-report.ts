import { existsSync } from 'node:fs';

import type { JobReport } from '../job-report.js';
import { FolderSender } from './folder-sender.js';
import { type Frame, frameLine } from './frame.js';

/**
 * Tells everything as frames on the output of the job.
 *
 * @param key with which frames are signed
 */
export function framedReport(write: (text: string) => void, key: string, version: string): JobReport {
  let seq = 0;
  let sender: FolderSender | undefined;
  const send = (frame: Frame) => {
    const line = frameLine({ ...frame, seq }, key);
    // Only an event can be too long, and events are only shown.
    if (line === undefined) return;
    seq += 1;
    write(line);
  };
  const sync = (last: boolean) => {
    if (sender !== undefined && existsSync(sender.folder)) sender.sync(last);
  };
  send({ type: 'hello', agentgym: version, node: process.version });
  return {
    event: (event) => send({ type: 'event', event }),
    follow: (folder, known) => void (sender = new FolderSender(folder, known, send)),
    sync: () => sync(false),
    end: (outcome) => {
      sync(true);
      send({ type: 'end', outcome });
      return Promise.resolve();
    },
  };
}
