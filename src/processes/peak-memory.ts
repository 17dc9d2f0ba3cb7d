import { join } from 'node:path';

import { numberInFile } from './proc-file.js';

/**
 * The most memory in bytes that this process has held. On Linux, `maxRSS` also counts what its parent held, so `/proc`
 * is asked first.
 *
 * @param root folder that has `proc`, for tests
 */
export function peakMemory(root = '/'): number {
  const own = numberInFile(join(root, 'proc/self/status'), /^VmHWM:\s+(\d+) kB/m);
  return 1024 * (own ?? process.resourceUsage().maxRSS);
}
