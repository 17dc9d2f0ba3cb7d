/** What an installation does is tested by `.ci/run`, which installs TensorFlow and trains with it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { installTensorFlow, planTensorFlow } from './install-tensorflow.js';
import { findAddon, loadTensorFlow } from './load-tensorflow.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'agentgym-tensorflow-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const { signal } = new AbortController();
/** Programs that only exist. */
function programs(names: readonly string[]): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(root, 'bin-'));
  for (const name of names) writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return { PATH: folder };
}
const ALL = ['c++', 'python3', 'npm', 'tar'];

describe('the plan of an installation', () => {
  const plan = (changes: object) =>
    planTensorFlow({ engineFolder: root, signal, machine: 'linux-x64', root, ...changes });

  it('says what it downloads and where it goes', async () => {
    const lines = await plan({ env: programs(ALL) });
    expect(lines[0]).toMatch(
      /^download tensorflow-cpu==2\.21\.0 \(274 MB\) with pip, @tensorflow\/tfjs-node-gpu@4\.22\.0/,
    );
    expect(lines.at(-1)).toBe(`install both in ${join(root, 'tensorflow-2.21.0')} (860 MB)`);
  });

  it('takes the libraries of a GPU where its driver is', async () => {
    const withDriver = mkdtempSync(join(root, 'driver-'));
    mkdirSync(join(withDriver, 'proc/driver/nvidia'), { recursive: true });
    writeFileSync(join(withDriver, 'proc/driver/nvidia/version'), '');
    const [download] = await plan({ env: programs(ALL), root: withDriver });
    expect(download).toMatch(/^download tensorflow\[and-cuda\]==2\.21\.0 \(3 GB\) with pip/);
  });

  it('names what is missing, and what brings it', async () => {
    await expect(plan({ env: programs(['npm', 'tar']) })).rejects.toThrow(
      'TensorFlow cannot be installed without a C++ compiler (Debian and Ubuntu: apt-get install g++), and pip of Python 3 (Debian and Ubuntu: apt-get install python3-pip)',
    );
    await expect(plan({ machine: 'win32-x64' })).rejects.toThrow(
      'TensorFlow is not installed on win32-x64, only on linux-x64 and linux-arm64',
    );
  });
});

describe('an installation that fails', () => {
  // Goes red when the folder gets its name before it is complete.
  it('leaves nothing, and says why', async () => {
    const engineFolder = mkdtempSync(join(root, 'engines-'));
    const env = programs(ALL);
    writeFileSync(
      join(env['PATH']!, 'python3'),
      '#!/bin/sh\nif [ "$3" = install ]; then echo "no such wheel" >&2; exit 1; fi\n',
    );
    const told: string[] = [];
    const installation = { engineFolder, signal, machine: 'linux-x64', root, env };
    await expect(installTensorFlow(installation, (line) => told.push(line))).rejects.toThrow(
      'python3 ended with 1:\nno such wheel',
    );
    expect(told).toEqual(['downloading tensorflow-cpu==2.21.0']);
    expect(readdirSync(engineFolder)).toEqual([]);
    expect(existsSync(engineFolder)).toBe(true);
  });
});

it('is not found where nobody installed it, and says how to get it', () => {
  const empty = mkdtempSync(join(root, 'empty-'));
  expect(findAddon(empty)).toBeUndefined();
  expect(() => loadTensorFlow({ engineFolder: empty })).toThrow(
    'tensorflow is not installed: run `agentgym doctor --fix tensorflow`',
  );
});
