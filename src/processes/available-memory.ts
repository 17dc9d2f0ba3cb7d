// How much memory this process can still get: from the machine, and from the control groups that limit it (a container,
// a batch job).
import { totalmem } from 'node:os';
import { join } from 'node:path';

import { numberInFile, readProcFile } from './proc-file.js';

/** Memory in bytes. */
export interface AvailableMemory {
  /** What this process can have in total: what it uses now, and what it can still get. */
  readonly available: number;
  /** Of the machine, or of the container if it has less. */
  readonly total: number;
}

/** Files of one version of control groups (man7.org/linux/man-pages/man7/cgroups.7.html). */
const versions = [
  { root: 'sys/fs/cgroup', controllers: '', limit: 'memory.max', usage: 'memory.current', cache: 'inactive_file' },
  {
    root: 'sys/fs/cgroup/memory',
    controllers: 'memory',
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    cache: 'total_inactive_file',
  },
] as const;

/**
 * Where nothing tells what others use, it is the memory of the machine. Pages of files count as free if the system would
 * drop them.
 *
 * @param root folder that has `proc` and `sys`, for tests
 */
export function availableMemory(root = '/', own = process.memoryUsage.rss()): AvailableMemory {
  const groups = groupsOf(root);
  const ofMachine = numberInFile(join(root, 'proc/meminfo'), /^MemAvailable:\s+(\d+) kB/m, 1024);
  const total = Math.min(totalOf(root), ...groups.map(({ limit }) => limit));
  const free = [...(ofMachine === undefined ? [] : [ofMachine]), ...groups.map(({ limit, used }) => limit - used)];
  const left = Math.max(0, Math.min(...free));
  return { available: Math.min(total, left + own), total };
}

function totalOf(root: string): number {
  return numberInFile(join(root, 'proc/meminfo'), /^MemTotal:\s+(\d+) kB/m, 1024) ?? totalmem();
}

/** The limits of this process's group and of those around it. */
function groupsOf(root: string): { readonly limit: number; readonly used: number }[] {
  const lines = readProcFile(join(root, 'proc/self/cgroup')).split('\n');
  return versions.flatMap(({ root: folder, controllers, limit: limitFile, usage, cache }) => {
    const line = lines.find((each) => each.split(':')[1]?.split(',').includes(controllers));
    const path = line?.split(':').slice(2).join(':').split('/') ?? [];
    // In a container, the path may be that outside, and the own group is the root.
    return Array.from({ length: path.length + 1 }, (_, depth) => {
      const group = join(root, folder, ...path.slice(0, depth));
      const limit = numberInFile(join(group, limitFile), /^(\d+)$/m) ?? Infinity;
      const used = numberInFile(join(group, usage), /^(\d+)$/m) ?? 0;
      const cached = numberInFile(join(group, 'memory.stat'), new RegExp(`^${cache} (\\d+)$`, 'm')) ?? 0;
      return { limit, used: Math.max(0, used - cached) };
    }).filter(({ limit }) => Number.isSafeInteger(limit));
  });
}
