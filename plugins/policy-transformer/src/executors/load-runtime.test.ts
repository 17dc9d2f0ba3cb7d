import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { diagnose } from '../policy/diagnose.js';
import { loadRuntime, RUNTIME_VERSION } from './load-runtime.js';

const missing = (name: string) =>
  Promise.reject(Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' }));
const onlyWeb = (name: string) => (name === 'onnxruntime-web' ? import(name) : missing(name));
const here = `${process.platform}-${process.arch}`;

describe('loadRuntime', () => {
  it('tries the package of the platform, onnxruntime-node, then WebAssembly, and keeps the reasons', async () => {
    const tried: string[] = [];
    const importPackage = (name: string) => (tried.push(name), onlyWeb(name));
    const loaded = await loadRuntime({ engine: 'auto', importPackage, machine: 'linux-arm64' });
    expect(tried).toEqual(['@agentgym/onnxruntime-linux-arm64', 'onnxruntime-node', 'onnxruntime-web']);
    expect(loaded).toMatchObject({ engine: 'onnxruntime-web', package: 'onnxruntime-web', version: RUNTIME_VERSION });
    expect(loaded.rejected).toEqual([
      { package: '@agentgym/onnxruntime-linux-arm64', reason: 'is not installed' },
      { package: 'onnxruntime-node', reason: 'is not installed' },
    ]);
  });

  it('says that a platform has no library, and that a library does not load', async () => {
    const { rejected } = await loadRuntime({ engine: 'auto', importPackage: onlyWeb, machine: 'freebsd-x64' });
    expect(rejected[0]?.reason).toBe('does not exist for freebsd-x64');
    // The package exists but lacks a file, so the message shows the error of Node.js.
    const inside = Object.assign(new Error("Cannot find module '../bin/binding.node'\nRequire stack:"), {
      code: 'MODULE_NOT_FOUND',
    });
    const search = loadRuntime({ engine: 'onnxruntime-node', importPackage: () => Promise.reject(inside) });
    await expect(search).rejects.toThrow(
      `@agentgym/onnxruntime-${here} does not load: Cannot find module '../bin/binding.node'; onnxruntime-node does not load`,
    );
  });

  it('stops at the first that loads, and asks no other', async () => {
    const tried: string[] = [];
    const loaded = await loadRuntime({
      engine: 'auto',
      importPackage: (name) => (tried.push(name), import('onnxruntime-node')),
    });
    expect(tried).toEqual([`@agentgym/onnxruntime-${here}`]);
    expect(loaded).toMatchObject({ package: tried[0], engine: 'onnxruntime-node', version: RUNTIME_VERSION });
  });

  // Goes red when only package.json gets a new version, or gets a range instead of a version.
  it('knows the version that package.json pins', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    expect(manifest.dependencies).toMatchObject({
      'onnxruntime-common': RUNTIME_VERSION,
      'onnxruntime-web': RUNTIME_VERSION,
    });
    expect(manifest.devDependencies['onnxruntime-node']).toBe(RUNTIME_VERSION);
    // Its install script downloads files from outside the registry.
    expect(manifest.dependencies).not.toHaveProperty('onnxruntime-node');
  });
});

describe('diagnose', () => {
  it('names the package that computes', async () => {
    const [native, web] = await diagnose({ quick: true });
    expect(native).toMatchObject({
      level: 'ok',
      message: expect.stringMatching(/^native engine: .*onnxruntime-.* 1\./),
    });
    expect(web).toMatchObject({ level: 'ok', message: expect.stringContaining('onnxruntime-web') });
  });

  it('says why no native library loads and what to install, or that there is none', async () => {
    const [native] = await diagnose({ importPackage: onlyWeb, machine: 'linux-x64', quick: true });
    expect(native).toEqual({
      level: 'note',
      message:
        'no native engine loads here: @agentgym/onnxruntime-linux-x64 is not installed; onnxruntime-node is not installed',
      hint: expect.stringContaining(`npm install @agentgym/onnxruntime-linux-x64@${RUNTIME_VERSION}`),
    });
    const [elsewhere] = await diagnose({ importPackage: onlyWeb, machine: 'freebsd-x64', quick: true });
    expect(elsewhere?.hint).toMatch(/no native engine exists for freebsd-x64/);
  });

  it('is a problem where nothing computes', async () => {
    const findings = await diagnose({ importPackage: missing, machine: 'linux-x64', quick: true });
    const levels = findings.map(({ level }) => level);
    expect(levels.slice(0, 2)).toEqual(['problem', 'note']);
    // The engines that nothing needs: whether WebGPU finds a GPU differs from machine to machine.
    expect(levels).toHaveLength(5);
    expect(levels.slice(2)).not.toContain('problem');
  });
});
