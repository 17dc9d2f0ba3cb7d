import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The most memory in bytes that this process has held. On Linux, `maxRSS` also counts what its parent held, so `/proc`
 * is asked first.
 *
 * @param root folder that has `proc`, for tests
 */
export function peakMemory(root = '/'): number {
  return 1024 * (ownPeak(root) ?? process.resourceUsage().maxRSS);
}

function ownPeak(root: string): number | undefined {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(join(root, 'proc/self/status'), 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}
