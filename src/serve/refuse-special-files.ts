import { stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';

/** Larger documents are not read whole: no run writes them. */
const largestDocument = 64 << 20;

/**
 * Refuses files of a run that are pipes, devices or folders: to read a pipe waits for ever, and a device never ends. A
 * missing file is fine.
 *
 * @throws AG_RUN_DAMAGED
 */
export async function refuseSpecialFiles(paths: readonly string[]): Promise<void> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  for (const [index, entry] of found.entries()) {
    const file = paths[index] ?? '';
    if (entry === undefined) continue;
    const isDocument = file.endsWith('.json');
    if (entry.isFile() && (!isDocument || entry.size <= largestDocument)) continue;
    const problem = entry.isFile() ? `is larger than ${largestDocument >> 20} MiB` : 'is not a regular file';
    throw new AgentgymError('AG_RUN_DAMAGED', {
      message: `${basename(file)} ${problem}, so it is not read.`,
      hint: 'Remove it, or restore it from a copy.',
      file,
    });
  }
}
