import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, expect, it } from 'vitest';

import { availableMemory } from './available-memory.js';

const roots: string[] = [];
afterEach(() => roots.splice(0).forEach((root) => rmSync(root, { recursive: true })));

function machine(files: { readonly [path: string]: string }): string {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-machine-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const MEGABYTE = 2 ** 20;
const meminfo = { 'proc/meminfo': 'MemTotal:       8192000 kB\nMemFree: 10 kB\nMemAvailable:    4096000 kB\n' };
const whole = 8_192_000 * 1024;

it('is what the machine can still give, and what this process has', () => {
  const root = machine(meminfo);
  expect(availableMemory(root, 100)).toEqual({ available: 4_096_000 * 1024 + 100, total: whole });
});

// Goes red when only the own group is read, or when pages of files count as used.
it('is limited by the groups of a process, in both versions', () => {
  const groups = {
    'proc/self/cgroup': '0::/batch/job\n',
    'sys/fs/cgroup/batch/memory.max': `${1000 * MEGABYTE}\n`,
    'sys/fs/cgroup/batch/memory.current': `${700 * MEGABYTE}\n`,
    'sys/fs/cgroup/batch/memory.stat': `anon 5\ninactive_file ${100 * MEGABYTE}\n`,
    'sys/fs/cgroup/batch/job/memory.max': 'max\n',
    'sys/fs/cgroup/batch/job/memory.current': `${600 * MEGABYTE}\n`,
  };
  const expected = { available: 450 * MEGABYTE, total: 1000 * MEGABYTE };
  expect(availableMemory(machine({ ...meminfo, ...groups }), 50 * MEGABYTE)).toEqual(expected);
  const first = {
    'proc/self/cgroup': '3:cpu,cpuacct:/x\n4:memory:/job\n',
    'sys/fs/cgroup/memory/job/memory.limit_in_bytes': `${1000 * MEGABYTE}\n`,
    'sys/fs/cgroup/memory/job/memory.usage_in_bytes': `${700 * MEGABYTE}\n`,
    'sys/fs/cgroup/memory/job/memory.stat': `total_inactive_file ${100 * MEGABYTE}\n`,
    // The number that means no limit.
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  };
  expect(availableMemory(machine({ ...meminfo, ...first }), 50 * MEGABYTE)).toEqual(expected);
});

it('finds the group of a container at the root, whatever its path outside', () => {
  const root = machine({
    ...meminfo,
    'proc/self/cgroup': '0::/docker/0123\n',
    'sys/fs/cgroup/memory.max': `${500 * MEGABYTE}\n`,
    'sys/fs/cgroup/memory.current': `${100 * MEGABYTE}\n`,
  });
  expect(availableMemory(root, 0)).toEqual({ available: 400 * MEGABYTE, total: 500 * MEGABYTE });
});

it('is the memory of the machine where nothing tells more', () => {
  const { available, total } = availableMemory(machine({}), 0);
  expect(available).toBe(total);
  expect(total).toBeGreaterThan(2 ** 28);
});
