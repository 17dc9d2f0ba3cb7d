// The memory of real runs, beside what their manifests said before the first step.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

interface Measured {
  readonly name: string;
  readonly most: number;
  readonly expected: number;
  readonly peak: number;
}

const bench = new URL('../../bench/', import.meta.url);
/** Runs in a separate process with the built packages, like the measurement. */
const measured = async (only: string): Promise<Measured> => {
  const script = `
    import { mkdtempSync, rmSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { allCases, measureCase } from '${new URL('memory/memory.js', bench).href}';
    const folder = mkdtempSync(join(tmpdir(), 'agentgym-memory-'));
    try {
      const found = (await allCases(folder)).find(({ name }) => name === ${JSON.stringify(only)});
      console.log(JSON.stringify(await measureCase(found, folder)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as Measured;
};

// Only Linux tells what a process and its children hold.
const onLinux = it.runIf(existsSync('/proc/self/smaps_rollup'));

onLinux.each(['quickstart/recipe', 'algorithms/recipe', 'nano', 'mini', 'folder, LoRA'])(
  'bounds the peak of %s: the closed form is not below it, and at most twice as much',
  { timeout: 600_000 },
  async (name) => {
    const { most, peak } = await measured(name);
    expect(most / peak).toBeGreaterThanOrEqual(1);
    expect(most / peak).toBeLessThanOrEqual(2);
  },
);

onLinux.each(['pico', 'nano', 'mini', 'mini, 1 thread'])(
  'expects the peak of %s within 15 %%: its batches have about the shape of the micro-batch that was computed',
  { timeout: 600_000 },
  async (name) => {
    const { expected, peak } = await measured(name);
    expect(expected / peak).toBeGreaterThanOrEqual(0.85);
    expect(expected / peak).toBeLessThanOrEqual(1.15);
  },
);
