import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';

/**
 * Refuses links, pipes and devices in the folder of a run. A resumed run cuts off its logs and removes later checkpoints,
 * and through a link it would do that to files of somebody else.
 *
 * @throws AG_RUN_DAMAGED
 */
export async function refuseLinks(run: string): Promise<void> {
  for (const entry of await readdir(run, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    throw new AgentgymError('AG_RUN_DAMAGED', {
      message: `${path} is neither a file nor a folder. A resumed run could change files outside of its folder there.`,
      hint: 'Replace a link by what it leads to, and remove anything else. Then run the same command again.',
      file: path,
    });
  }
}
