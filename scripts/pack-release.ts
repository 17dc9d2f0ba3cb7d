// Packs a release as tarballs: the checked files are the published files.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { fetchOnnxruntimeNode, makeRuntimePackages } from './runtime-packages.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../', import.meta.url));

export const POLICY_WITH_RUNTIME = '@agentgym/plugin-policy-transformer';

export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  /** Paths within the tarball. */
  readonly files: readonly string[];
  readonly manifest: { readonly repository?: unknown };
}

/**
 * Packs all packages in the order of publication: dependencies come first. Needs a build, and the registry for the
 * runtime.
 */
export async function packRelease(folder: string): Promise<readonly PackedPackage[]> {
  await rm(folder, { recursive: true, force: true });
  const made = await makeRuntimePackages(await fetchOnnxruntimeNode(join(folder, 'download')), join(folder, 'runtime'));
  await rm(join(folder, 'download'), { recursive: true });
  const runtimes: PackedPackage[] = [];
  for (const { folder: source } of made) runtimes.push(...(await pack(source, folder)));
  const workspaces = await pack(repository, folder, ['--workspaces']);
  const finished: PackedPackage[] = [];
  for (const one of workspaces) {
    finished.push(one.name === POLICY_WITH_RUNTIME ? await addRuntimes(one.tarball, runtimes) : one);
  }
  const isHost = ({ name }: PackedPackage) => name === '@agentgym/cli';
  return [...runtimes, ...finished.filter((one) => !isHost(one)), ...finished.filter(isHost)];
}

/**
 * Packs the policy again, with the packages of the native runtime among its optional dependencies. Its package.json in
 * the sources lacks them: `npm ci` refuses a lockfile without an optional dependency, and an unpublished package cannot
 * be in a lockfile.
 */
export async function addRuntimes(
  tarball: string,
  runtimes: readonly { readonly name: string; readonly version: string }[],
): Promise<PackedPackage> {
  const folder = await mkdtemp(`${tarball}-`);
  try {
    await run('tar', ['-xzf', tarball, '-C', folder]);
    const path = join(folder, 'package', 'package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    manifest.optionalDependencies = Object.fromEntries(runtimes.map(({ name, version }) => [name, version]));
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
    const [packed] = await pack(join(folder, 'package'), join(tarball, '..'));
    if (packed === undefined) throw new Error(`${tarball} was not packed again`);
    return packed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * `npm pack` of one folder, or of the workspaces below it. No scripts run: `prepack` would delete files to be packed.
 */
export async function pack(
  source: string,
  destination: string,
  more: readonly string[] = [],
): Promise<readonly PackedPackage[]> {
  await mkdir(destination, { recursive: true });
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...more],
    { cwd: source, maxBuffer: 2 ** 26, shell: process.platform === 'win32' },
  );
  const packed = JSON.parse(stdout) as {
    name: string;
    version: string;
    filename: string;
    files: { path: string }[];
  }[];
  return Promise.all(
    packed.map(async ({ name, version, filename, files }) => {
      const tarball = join(destination, filename);
      const { stdout: manifest } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
      const paths = files.map(({ path }) => path);
      return { name, version, tarball, files: paths, manifest: JSON.parse(manifest) as PackedPackage['manifest'] };
    }),
  );
}
