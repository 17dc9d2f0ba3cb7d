import { readFileSync } from 'node:fs';

/**
 * The highest resident memory of a process up to now, in bytes; 0 without /proc. A side is one process that shares no
 * memory, so it is its proportional memory (Pss), which takes much longer to read.
 */
export function peakMemory(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return 0;
  }
}
