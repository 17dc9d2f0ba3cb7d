import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { interruption } from '../../errors/interruption.js';
import { acquireProcessLock } from '../../processes/process-lock.js';
import { syncFolder, syncTree } from '../../runs/durable-files.js';
import { makeFolder } from '../../files/make-folder.js';

/**
 * Writes a file or a folder, which appears as a whole. It is written in a folder `.exporting-NAME` beside the target, which
 * is removed afterwards. What an export that was killed left there is removed first.
 *
 * @param write makes the target under another path
 * @throws AG_OUTPUT_EXISTS if another process exports to the same target
 */
export async function exportWhole<Result>(
  target: string,
  signal: AbortSignal,
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const place = join(dirname(target), `.exporting-${basename(target)}`);
  await makeFolder(place);
  const lock = acquireProcessLock(place, ({ pid }) => {
    return new AgentgymError('AG_OUTPUT_EXISTS', {
      message: `The process ${pid} is exporting to ${target}.`,
      hint: 'Wait until it ends, or choose another folder with `--to`.',
      file: place,
    });
  });
  try {
    const inside = join(place, 'new');
    await rm(inside, { recursive: true, force: true });
    await makeFolder(inside);
    const temporary = join(inside, basename(target));
    const result = await write(temporary);
    await syncTree(inside);
    await rename(temporary, target);
    await syncFolder(dirname(target));
    return result;
  } catch (error) {
    if (signal.aborted) throw interruption(signal, 'Run the same command again.');
    throw error;
  } finally {
    lock.release();
    await rm(place, { recursive: true, force: true });
  }
}
