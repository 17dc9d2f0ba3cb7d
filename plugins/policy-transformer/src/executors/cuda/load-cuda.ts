import { existsSync } from 'node:fs';
import { join } from 'node:path';
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

/** Throws if it is not installed. Whether CUDA works shows only when a program is compiled. */
export async function loadCuda(engineFolder: string | undefined): Promise<Pick<LoadedRuntime, 'runtime' | 'version'>> {
  const entry = findCudaRuntime(engineFolder);
  if (entry === undefined) throw new Error('cuda is not installed: run `agentgym doctor --fix cuda`');
  const runtime = (await import(pathToFileURL(entry).href)) as Runtime;
  return { runtime, version: runtime.env.versions.node ?? runtime.env.versions.common };
}
