// The engine as users get it: only from packages, without an install script. Needs a build, and the registry for the
// dependencies of the policy.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { NATIVE_PLATFORMS, RUNTIME_VERSION } from '../../plugins/policy-transformer/src/executors/load-runtime.js';
import { addRuntimes, pack, POLICY_WITH_RUNTIME } from '../../scripts/pack-release.js';
import { fetchOnnxruntimeNode, makeRuntimePackages, type RuntimePackage } from '../../scripts/runtime-packages.js';
import { repository } from '../architecture/source-files.js';

const run = promisify(execFile);
const source = join(repository, 'node_modules', 'onnxruntime-node');
const machine = `${process.platform}-${process.arch}`;
const checksum = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

let folder: string;
let packages: readonly RuntimePackage[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentgym-runtime-'));
  packages = await makeRuntimePackages(source, join(folder, 'made'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the packages of the native runtime', () => {
  it('are one for each platform that the policy looks for', () => {
    expect(packages.map(({ name }) => name)).toEqual(NATIVE_PLATFORMS.map((name) => `@agentgym/onnxruntime-${name}`));
  });

  it.each(NATIVE_PLATFORMS)('for %s holds the files of onnxruntime-node, unmodified, and runs nothing', (name) => {
    const made = packages.find((one) => one.name.endsWith(name))!;
    const [os, cpu] = name.split('-');
    const manifest = JSON.parse(readFileSync(join(made.folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({ version: RUNTIME_VERSION, license: 'MIT', os: [os], cpu: [cpu] });
    expect(manifest.libc).toEqual(os === 'linux' ? ['glibc'] : undefined);
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest.dependencies).toEqual({ 'onnxruntime-common': RUNTIME_VERSION });
    expect([...made.copied.keys()]).toContain(`bin/napi-v6/${os}/${cpu}/onnxruntime_binding.node`);
    // Compares the two files, without the checksums that the maker of the packages returns.
    for (const path of made.copied.keys()) {
      expect(path).not.toMatch(/DirectML|dxil|dxcompiler|script\//);
      expect(checksum(join(made.folder, path)), path).toBe(checksum(join(source, path)));
    }
    expect(readFileSync(join(made.folder, 'SHA256SUMS'), 'utf8')).toContain(made.copied.get('dist/binding.js'));
    expect(readFileSync(join(made.folder, 'LICENSE'), 'utf8')).toContain('Microsoft Corporation');
    expect(readFileSync(join(made.folder, 'ThirdPartyNotices.txt'), 'utf8')).toContain('protobuf');
  });

  it('have the same bytes each time they are made', async () => {
    // Without the libraries, which would take seconds to compress.
    const small = join(folder, 'small');
    for (const path of ['package.json', 'dist', 'lib', 'bin/napi-v6/linux/arm64/onnxruntime_binding.node'])
      await cp(join(source, path), join(small, path), { recursive: true });
    const checksums = await Promise.all(
      ['first', 'again'].map(async (name) => {
        const [made] = await makeRuntimePackages(small, join(folder, name));
        const [packed] = await pack(made!.folder, join(folder, `packed-${name}`));
        return checksum(packed!.tarball);
      }),
    );
    expect(checksums[0]).toBe(checksums[1]);
  });

  it('are not made of something else', async () => {
    await expect(makeRuntimePackages(join(repository, 'node_modules', 'onnxruntime-web'), folder)).rejects.toThrow(
      'is onnxruntime-web, not onnxruntime-node',
    );
    const wrong = `sha512-${Buffer.alloc(64).toString('base64')}`;
    await expect(fetchOnnxruntimeNode(join(folder, 'download'), wrong)).rejects.toThrow(
      'package-lock.json says sha512-AA',
    );
  }, 60_000);
});

describe('the policy, installed with --ignore-scripts into an empty folder', () => {
  const trained = async (entry: string, engine = 'auto') => {
    const script = join(repository, 'test', 'packages', 'train-steps.js');
    const { stdout } = await run(process.execPath, [script, entry, engine], { cwd: folder });
    return JSON.parse(stdout) as {
      diagnoses: { level: string; message: string }[];
      messages: string[];
      losses: number[];
      logprobs: number[];
      model: { engine: string; version: string };
    };
  };
  const home = () => join(folder, 'home');
  const installed = (name: string) => join(home(), 'node_modules', ...name.split('/'));
  const entry = () => join(installed(POLICY_WITH_RUNTIME), 'dist', 'index.js');
  const runtime = `@agentgym/onnxruntime-${machine}`;
  let ofCheckout: ReturnType<typeof trained> | undefined;
  const reference = () =>
    (ofCheckout ??= trained(join(repository, 'plugins', 'policy-transformer', 'dist', 'index.js')));

  beforeAll(async () => {
    const [policy] = await pack(join(repository, 'plugins', 'policy-transformer'), join(folder, 'packed'));
    const finished = await addRuntimes(policy!.tarball, packages);
    const own = packages.find(({ name }) => name === runtime);
    const tarballs =
      own === undefined ? [] : (await pack(own.folder, join(folder, 'packed'))).map((one) => one.tarball);
    await mkdir(home());
    await writeFile(join(home(), 'package.json'), '{}');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['install', ...flags, finished.tarball, ...tarballs], {
      cwd: home(),
      shell: process.platform === 'win32',
    });
  }, 300_000);

  it('asks for the runtime of each platform, and for onnxruntime-node of none', () => {
    const manifest = JSON.parse(readFileSync(join(installed(POLICY_WITH_RUNTIME), 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(manifest.optionalDependencies).toEqual(
      Object.fromEntries(NATIVE_PLATFORMS.map((name) => [`@agentgym/onnxruntime-${name}`, RUNTIME_VERSION])),
    );
    expect(existsSync(installed('onnxruntime-node'))).toBe(false);
  });

  it.skipIf(!NATIVE_PLATFORMS.includes(machine))(
    'computes with the native library of the package, bit for bit as with onnxruntime-node',
    async () => {
      const [here, checkout] = await Promise.all([trained(entry()), reference()]);
      expect(here.diagnoses[0]).toEqual({ level: 'ok', message: `native engine: ${runtime} ${RUNTIME_VERSION}` });
      expect(here.messages).toEqual([]);
      expect(checkout.diagnoses[0]!.message).toContain('onnxruntime-node');
      expect(here.model).toEqual(checkout.model);
      expect(here.losses[2]).toBeLessThan(here.losses[0]!);
      expect([here.losses, here.logprobs]).toEqual([checkout.losses, checkout.logprobs]);
    },
    120_000,
  );

  it('trains in WebAssembly without it, as well, and says so', async () => {
    const aside = join(folder, 'aside');
    if (existsSync(installed(runtime))) await rename(installed(runtime), aside);
    const [here, checkout] = await Promise.all([trained(entry()), reference()]);
    expect(here.model.engine).toBe('onnxruntime-web');
    expect(here.messages).toEqual([
      `the policy uses onnxruntime-web, which is about four times slower (${runtime} is not installed; onnxruntime-node is not installed)`,
    ]);
    expect(here.diagnoses[0]).toMatchObject({
      level: 'note',
      message: expect.stringContaining(`${runtime} is not installed`),
    });
    expect(here.losses[2]).toBeLessThan(here.losses[0]!);
    here.losses.forEach((loss, i) => expect(loss).toBeCloseTo(checkout.losses[i]!, 4));
    here.logprobs.forEach((logprob, i) => expect(logprob).toBeCloseTo(checkout.logprobs[i]!, 3));
    await expect(trained(entry(), 'native')).rejects.toThrow(/no native engine loads here/);
  }, 120_000);
});
