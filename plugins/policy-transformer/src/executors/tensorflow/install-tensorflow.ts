/**
 * Installs TensorFlow where `loadTensorFlow` looks. The library comes from the Python wheel, because no other package of
 * a registry has it; Python itself runs nothing of it. The addon is that of `@tensorflow/tfjs-node-gpu`, unmodified, and
 * serves processors and GPUs alike: it is compiled here against the library's C interface.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import {
  findPrograms,
  hasNvidiaDriver,
  installFolder,
  keepOnly,
  machineOf,
  runnerOf,
  sized,
  unpackWheels,
  type Installation,
  type Run,
} from '../installation/installation.js';
import {
  ADDON_VERSION,
  hasGpuLibraries,
  loadTensorFlow,
  TENSORFLOW_PACKAGES,
  TENSORFLOW_VERSION,
  tensorflowFolder,
} from './load-tensorflow.js';

/** Node's headers for addons, which are the same for all its versions. */
const HEADERS = 'node-api-headers@1.9.0';

const WHAT = 'TensorFlow';
const PROGRAMS = ['compiler', 'pip', 'npm', 'tar'] as const;

interface Wheel {
  readonly requirement: string;
  /** As pip names it, the newest first. */
  readonly platforms: readonly string[];
  readonly megabytes: number;
  /** What it takes when it is installed. */
  readonly installedMegabytes: number;
  readonly isGpu: boolean;
}

const onProcessors = { installedMegabytes: 860, isGpu: false };
const x64 = ['manylinux_2_27_x86_64', 'manylinux2014_x86_64'];
const arm64 = ['manylinux_2_27_aarch64', 'manylinux2014_aarch64'];
const wheels: { readonly [machine: string]: { readonly processor: Wheel; readonly gpu?: Wheel } } = {
  'linux-x64': {
    processor: {
      ...{ requirement: `tensorflow-cpu==${TENSORFLOW_VERSION}`, platforms: x64, megabytes: 274 },
      ...onProcessors,
    },
    gpu: {
      ...{ requirement: `tensorflow[and-cuda]==${TENSORFLOW_VERSION}`, platforms: x64, megabytes: 3000 },
      ...{ installedMegabytes: 7000, isGpu: true },
    },
  },
  'linux-arm64': {
    processor: {
      ...{ requirement: `tensorflow==${TENSORFLOW_VERSION}`, platforms: arm64, megabytes: 270 },
      ...onProcessors,
    },
  },
};

/** What an installation will do, line by line: nothing if it works. Throws if this machine lacks what it needs. */
export async function planTensorFlow(installation: Installation): Promise<readonly string[]> {
  if (isInstalled(installation)) return [];
  const { requirement, megabytes, installedMegabytes } = wheelFor(installation);
  await findPrograms(WHAT, PROGRAMS, installation);
  return [
    `download ${requirement} (${sized(megabytes)}) with pip, ${TENSORFLOW_PACKAGES[0]}@${ADDON_VERSION} and ${HEADERS} (1 MB) with npm`,
    'compile the addon against the library (about 15 seconds)',
    `install both in ${tensorflowFolder(installation.engineFolder)} (${sized(installedMegabytes)})`,
  ];
}

/** @param tell gets a line for each step */
export async function installTensorFlow(installation: Installation, tell: (line: string) => void): Promise<void> {
  const wheel = wheelFor(installation);
  const { compiler } = await findPrograms(WHAT, PROGRAMS, installation);
  const run = runnerOf(installation);
  await installFolder(tensorflowFolder(installation.engineFolder), async (folder) => {
    tell(`downloading ${wheel.requirement}`);
    await unpackLibrary(run, wheel, folder);
    tell(`downloading ${TENSORFLOW_PACKAGES[0]}@${ADDON_VERSION}`);
    const addon = await unpackAddon(run, folder);
    tell('compiling the addon');
    await compileAddon(run, compiler, folder, addon);
    await prune(folder, wheel.isGpu);
  });
}

/** Whether what is wanted here is installed and loads. */
function isInstalled(installation: Installation): boolean {
  const { engineFolder } = installation;
  try {
    loadTensorFlow({ engineFolder });
    return wheelFor(installation).isGpu === hasGpuLibraries(engineFolder);
  } catch {
    return false;
  }
}

/** Throws if this machine has no wheel. */
function wheelFor(installation: Installation): Wheel {
  const machine = machineOf(installation);
  const found = wheels[machine];
  if (found === undefined) {
    throw new Error(`TensorFlow is not installed on ${machine}, only on ${Object.keys(wheels).join(' and ')}`);
  }
  return hasNvidiaDriver(installation) ? (found.gpu ?? found.processor) : found.processor;
}

async function unpackLibrary(run: Run, { requirement, platforms, isGpu }: Wheel, folder: string): Promise<void> {
  const into = join(folder, 'wheel');
  await unpackWheels(run, [requirement.replace(/\[.*\]/, '')], { into, platforms });
  // The wheel of a GPU needs its CUDA libraries, and nothing else that it asks for.
  if (isGpu) await unpackWheels(run, await cudaRequirements(into), { into, platforms });
}

/** What the extra `and-cuda` of the wheel requires. */
async function cudaRequirements(wheel: string): Promise<string[]> {
  const information = (await readdir(wheel)).find((name) => /^tensorflow-.*\.dist-info$/.test(name));
  if (information === undefined) throw new Error(`the wheel in ${wheel} contains no description`);
  const metadata = await readFile(join(wheel, information, 'METADATA'), 'utf8');
  return [...metadata.matchAll(/^Requires-Dist: ([^;\n]+?)\s*;.*extra == ["']and-cuda["']/gm)].map(([, name]) =>
    name!.replace(/[\s()]/g, ''),
  );
}

/** Unpacks the addon's package and the headers. Returns the folder of the package. */
async function unpackAddon(run: Run, folder: string): Promise<string> {
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

async function compileAddon(run: Run, compiler: string, folder: string, addon: string): Promise<void> {
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
  await rm(join(folder, 'headers'), { recursive: true });
  await keepOnly(wheel, (name) => name === 'tensorflow' || (isGpu && name === 'nvidia'));
  await keepOnly(join(wheel, 'tensorflow'), (name) => /^libtensorflow_(cc|framework)\.so\.2$/.test(name));
}
