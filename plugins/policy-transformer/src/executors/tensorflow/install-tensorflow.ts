/**
 * Installs TensorFlow where `loadTensorFlow` looks. The library comes from the Python wheel, because no other package of
 * a registry has it; Python itself runs nothing of it. The addon is that of `@tensorflow/tfjs-node-gpu`, unmodified, and
 * serves processors and GPUs alike: it is compiled here against the library's C interface.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';

import {
  ADDON_VERSION,
  hasGpuLibraries,
  loadTensorFlow,
  TENSORFLOW_PACKAGES,
  TENSORFLOW_VERSION,
  tensorflowFolder,
} from './load-tensorflow.js';
import { runTool } from './run-tool.js';

/** Versions of Node's own headers for addons, which are the same for all versions of Node. */
const HEADERS = 'node-api-headers@1.9.0';

/** Pythons for which there are wheels. Only files of the wheel are used, so any of them serves. */
const WHEEL_PYTHON = '3.12';

interface Wheel {
  readonly requirement: string;
  /** As pip names it, the newest first. */
  readonly platforms: readonly string[];
  readonly megabytes: number;
  /** What it takes when it is installed. */
  readonly installedMegabytes: number;
  readonly isGpu: boolean;
}

const wheels: { readonly [machine: string]: { readonly processor: Wheel; readonly gpu?: Wheel } } = {
  'linux-x64': {
    processor: {
      requirement: `tensorflow-cpu==${TENSORFLOW_VERSION}`,
      platforms: ['manylinux_2_27_x86_64', 'manylinux2014_x86_64'],
      megabytes: 274,
      installedMegabytes: 860,
      isGpu: false,
    },
    gpu: {
      requirement: `tensorflow[and-cuda]==${TENSORFLOW_VERSION}`,
      platforms: ['manylinux_2_27_x86_64', 'manylinux2014_x86_64'],
      megabytes: 3000,
      installedMegabytes: 7000,
      isGpu: true,
    },
  },
  'linux-arm64': {
    processor: {
      requirement: `tensorflow==${TENSORFLOW_VERSION}`,
      platforms: ['manylinux_2_27_aarch64', 'manylinux2014_aarch64'],
      megabytes: 270,
      installedMegabytes: 860,
      isGpu: false,
    },
  },
};

export interface TensorFlowInstallation {
  readonly engineFolder: string;
  readonly signal: AbortSignal;
  /** `<platform>-<arch>`; for tests. */
  readonly machine?: string;
  /** The root of the file system, where the driver of a GPU is looked for; for tests. */
  readonly root?: string;
  /** Programs; for tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What an installation will do, line by line: nothing if it works. Throws if this machine lacks what it needs. */
export async function planTensorFlow(installation: TensorFlowInstallation): Promise<readonly string[]> {
  if (isInstalled(installation)) return [];
  const { requirement, megabytes, installedMegabytes } = wheelFor(installation);
  await findTools(installation);
  return [
    `download ${requirement} (${sized(megabytes)}) with pip, ${TENSORFLOW_PACKAGES[0]}@${ADDON_VERSION} and ${HEADERS} (1 MB) with npm`,
    'compile the addon against the library (about 15 seconds)',
    `install both in ${tensorflowFolder(installation.engineFolder)} (${sized(installedMegabytes)})`,
  ];
}

/**
 * Installs it, in a folder that gets its name when it is complete. What was there before is replaced.
 * @param tell gets a line for each step
 */
export async function installTensorFlow(
  installation: TensorFlowInstallation,
  tell: (line: string) => void,
): Promise<void> {
  const wheel = wheelFor(installation);
  const tools = await findTools(installation);
  const target = tensorflowFolder(installation.engineFolder);
  await mkdir(installation.engineFolder, { recursive: true });
  const staging = await mkdtemp(`${target}.partial-`);
  try {
    tell(`downloading ${wheel.requirement}`);
    await installWheel(tools, wheel, staging);
    tell(`downloading ${TENSORFLOW_PACKAGES[0]}@${ADDON_VERSION}`);
    const addon = await unpackAddon(tools, staging);
    tell('compiling the addon');
    await compileAddon(tools, staging, addon);
    await prune(staging, wheel.isGpu);
    await rm(target, { recursive: true, force: true });
    await rename(staging, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Whether what is wanted here is installed and loads. */
function isInstalled(installation: TensorFlowInstallation): boolean {
  const { engineFolder } = installation;
  try {
    loadTensorFlow(engineFolder, 1);
    return wheelFor(installation).isGpu === hasGpuLibraries(engineFolder);
  } catch {
    return false;
  }
}

type Run = (command: string, args: readonly string[], cwd: string) => Promise<string>;

interface Tools {
  readonly compiler: string;
  readonly run: Run;
}

/** Throws if this machine has no wheel. */
function wheelFor({ machine = `${platform()}-${arch()}`, root = '/' }: TensorFlowInstallation): Wheel {
  const found = wheels[machine];
  if (found === undefined) {
    throw new Error(`TensorFlow is not installed on ${machine}, only on ${Object.keys(wheels).join(' and ')}`);
  }
  const hasDriver = existsSync(join(root, 'proc/driver/nvidia/version'));
  return hasDriver ? (found.gpu ?? found.processor) : found.processor;
}

/** Throws if a program is missing, and says which package brings it. */
async function findTools({ signal, env = process.env }: TensorFlowInstallation): Promise<Tools> {
  const run: Run = (command, args, cwd) => runTool(command, args, { cwd, signal, env });
  const works = async (command: string, args: readonly string[]): Promise<boolean> =>
    run(command, args, '/').then(
      () => true,
      () => {
        signal.throwIfAborted();
        return false;
      },
    );
  const compilers = [...(env['CXX'] ? [env['CXX']] : []), 'c++', 'g++', 'clang++'];
  const working = await Promise.all(compilers.map((compiler) => works(compiler, ['--version'])));
  const compiler = compilers.find((_, index) => working[index]);
  const missing = [
    ...(compiler === undefined ? ['a C++ compiler (Debian and Ubuntu: apt-get install g++)'] : []),
    ...((await works('python3', ['-m', 'pip', '--version']))
      ? []
      : ['pip of Python 3 (Debian and Ubuntu: apt-get install python3-pip)']),
    ...((await works('npm', ['--version'])) ? [] : ['npm, which comes with Node.js']),
    ...((await works('tar', ['--version'])) ? [] : ['tar (Debian and Ubuntu: apt-get install tar)']),
  ];
  if (missing.length > 0) throw new Error(`TensorFlow cannot be installed without ${missing.join(', and ')}`);
  return { compiler: compiler!, run };
}

async function installWheel({ run }: Tools, { requirement, platforms, isGpu }: Wheel, folder: string): Promise<void> {
  const target = [
    ...['--target', join(folder, 'wheel'), '--only-binary', ':all:', '--implementation', 'cp'],
    ...['--python-version', WHEEL_PYTHON, ...platforms.flatMap((name) => ['--platform', name])],
  ];
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
  // The wheel of a GPU needs its CUDA libraries, and nothing else that it asks for.
  await run('python3', [...pip, '--no-deps', ...target, requirement.replace(/\[.*\]/, '')], folder);
  if (isGpu)
    await run('python3', [...pip, '--no-deps', '--upgrade', ...target, ...(await cudaRequirements(folder))], folder);
}

/** What the extra `and-cuda` of the wheel requires. */
async function cudaRequirements(folder: string): Promise<string[]> {
  const wheel = join(folder, 'wheel');
  const information = (await readdir(wheel)).find((name) => /^tensorflow-.*\.dist-info$/.test(name));
  if (information === undefined) throw new Error(`the wheel in ${wheel} says nothing of itself`);
  const metadata = await readFile(join(wheel, information, 'METADATA'), 'utf8');
  return [...metadata.matchAll(/^Requires-Dist: (\S+)\s*;.*extra == ["']and-cuda["']/gm)].map(([, name]) => name!);
}

/** Unpacks the addon's package and the headers. Returns the folder of the package. */
async function unpackAddon({ run }: Tools, folder: string): Promise<string> {
  const packages = [
    { name: `${TENSORFLOW_PACKAGES[0]}@${ADDON_VERSION}`, into: join(folder, 'node_modules', TENSORFLOW_PACKAGES[0]) },
    { name: HEADERS, into: join(folder, 'headers') },
  ];
  for (const { name, into } of packages) {
    await mkdir(into, { recursive: true });
    const printed = await run('npm', ['pack', '--silent', '--pack-destination', folder, name], folder);
    const archive = join(folder, printed.trim().split('\n').at(-1)!);
    await run('tar', ['-xzf', archive, '-C', into, '--strip-components', '1'], folder);
    await rm(archive);
  }
  return packages[0]!.into;
}

async function compileAddon({ run, compiler }: Tools, folder: string, addon: string): Promise<void> {
  const library = join(folder, 'wheel', 'tensorflow');
  const built = join(addon, 'lib', 'napi-v8');
  await mkdir(built, { recursive: true });
  const sources = ['tfjs_backend.cc', 'tfjs_binding.cc'].map((file) => join(addon, 'binding', file));
  await run(
    compiler,
    [
      ...['-O2', '-std=c++17', '-shared', '-fPIC', '-fexceptions', '-DNAPI_VERSION=8', ...sources],
      ...['-I', join(folder, 'headers', 'include'), '-I', join(library, 'include')],
      ...['-o', join(built, 'tfjs_binding.node'), '-L', library],
      ...['-l:libtensorflow_cc.so.2', '-l:libtensorflow_framework.so.2'],
      // From the addon to the library, wherever the folder is.
      '-Wl,-rpath,$ORIGIN/../../../../../wheel/tensorflow',
    ],
    folder,
  );
}

/** Removes what only compilation needs: headers, and all of Python. */
async function prune(folder: string, isGpu: boolean): Promise<void> {
  const wheel = join(folder, 'wheel');
  const kept = new Set(['tensorflow', ...(isGpu ? ['nvidia'] : [])]);
  await Promise.all([
    rm(join(folder, 'headers'), { recursive: true }),
    ...(await others(wheel, (name) => kept.has(name))),
    ...(await others(join(wheel, 'tensorflow'), (name) => /^libtensorflow_(cc|framework)\.so\.2$/.test(name))),
  ]);
}

async function others(folder: string, isKept: (name: string) => boolean): Promise<Promise<void>[]> {
  const names = await readdir(folder);
  return names.filter((name) => !isKept(name)).map((name) => rm(join(folder, name), { recursive: true, force: true }));
}

function sized(megabytes: number): string {
  return megabytes < 1000 ? `${megabytes} MB` : `${(megabytes / 1000).toFixed(0)} GB`;
}
