import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { RUNTIME_VERSION, type LoadedRuntime, type Runtime } from '../load-runtime.js';

/** Libraries that ONNX Runtime looks for beside its own. */
export const CUDA_LIBRARIES = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'];

/** Where `agentgym doctor --fix cuda` puts it. */
export function cudaFolder(engineFolder: string): string {
  return join(engineFolder, `cuda-${RUNTIME_VERSION}`);
}

/** The entry of ONNX Runtime with its CUDA provider, if it is installed. */
export function findCudaRuntime(engineFolder: string | undefined): string | undefined {
  if (engineFolder === undefined) return undefined;
  const entry = join(cudaFolder(engineFolder), 'runtime', 'dist', 'index.js');
  return existsSync(entry) ? entry : undefined;
}

/** Libraries that the provider needs and that are not found, as the system's linker names them. */
function missingLibraries(entry: string): string[] {
  const binaries = join(dirname(entry), '..', 'bin');
  const provider = readdirSync(binaries, { recursive: true }).find((path) => String(path).endsWith(CUDA_LIBRARIES[1]!));
  if (provider === undefined) return [CUDA_LIBRARIES[1]!];
  const { stdout } = spawnSync('ldd', [join(binaries, String(provider))], { encoding: 'utf8' });
  return [...(stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name!);
}

/** The driver's library: no package of a registry has it. */
const DRIVER = 'libcuda.so.1';

/**
 * Throws if it is not installed, or if libraries are missing. Whether the driver is new enough shows only when a program
 * is compiled.
 */
export async function loadCuda(engineFolder: string | undefined): Promise<Pick<LoadedRuntime, 'runtime' | 'version'>> {
  const entry = findCudaRuntime(engineFolder);
  if (entry === undefined) throw new Error('cuda is not installed: run `agentgym doctor --fix cuda`');
  const missing = missingLibraries(entry);
  if (missing.length > 0) {
    const cure = missing.includes(DRIVER)
      ? "; it comes with NVIDIA's driver"
      : ': run `agentgym doctor --fix cuda` again';
    throw new Error(`cuda does not load without ${missing.join(', ')}${cure}`);
  }
  const runtime = (await import(pathToFileURL(entry).href)) as Runtime;
  return { runtime, version: runtime.env.versions.node ?? runtime.env.versions.common };
}
