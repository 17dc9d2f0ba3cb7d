import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { peakMemory } from './peak-memory.js';

const root = mkdtempSync(join(tmpdir(), 'agentgym-peak-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

// Goes red with `maxRSS` alone: a process that a large one starts would seem as large.
it('is what the process itself has held, and what the system counts where nothing tells', () => {
  const counted = 1024 * process.resourceUsage().maxRSS;
  expect(peakMemory(root)).toBeGreaterThanOrEqual(counted);
  mkdirSync(join(root, 'proc/self'), { recursive: true });
  writeFileSync(
    join(root, 'proc/self/status'),
    'Name:\tnode\nVmPeak:\t  900000 kB\nVmHWM:\t   40452 kB\nVmRSS:\t   39000 kB\n',
  );
  expect(peakMemory(root)).toBe(40_452 * 1024);
});
