import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

import type { TensorFlowBinding } from './binding.js';

/** The version that this package is tested with. */
export const TENSORFLOW_VERSION = '2.21.0';

/** Packages with the addon, the first that is found. */
export const TENSORFLOW_PACKAGES = ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'] as const;

/** The version of these packages. */
export const ADDON_VERSION = '4.22.0';

/** Where `agentgym doctor --fix tensorflow` puts it. */
export function tensorflowFolder(engineFolder: string): string {
  return join(engineFolder, `tensorflow-${TENSORFLOW_VERSION}`);
}

/** Whether `agentgym doctor --fix tensorflow` installed the libraries of a GPU. */
export function hasGpuLibraries(engineFolder: string | undefined): boolean {
  return engineFolder !== undefined && existsSync(join(tensorflowFolder(engineFolder), 'wheel', 'nvidia'));
}

export interface TensorFlowSettings {
  /** See `tensorflowFolder`; `undefined` looks only beside this package. */
  readonly engineFolder: string | undefined;
  /** Default: 1. */
  readonly threads?: number;
  /** Whether operations repeat their bits on a GPU. Default: false. */
  readonly deterministic?: boolean;
}

/**
 * Loads the addon: the one in the engine's folder, or one that is installed beside this package. The settings count
 * only if nothing has loaded TensorFlow in this process before. Throws if there is none, or if it does not load.
 */
export function loadTensorFlow({
  engineFolder,
  threads = 1,
  deterministic = false,
}: TensorFlowSettings): TensorFlowBinding {
  const file = findAddon(engineFolder);
  if (file === undefined) throw new Error('tensorflow is not installed: run `agentgym doctor --fix tensorflow`');
  // TensorFlow reads its settings from the environment alone. Where the user has set one, it stays.
  process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '3';
  process.env['TF_NUM_INTRAOP_THREADS'] ??= String(threads);
  // One for each session that runs at the same time. With fewer, sessions of other threads wait for each other.
  process.env['TF_NUM_INTEROP_THREADS'] ??= String(availableParallelism());
  if (deterministic) process.env['TF_DETERMINISTIC_OPS'] ??= '1';
  // Otherwise it takes all memory of a GPU.
  process.env['TF_FORCE_GPU_ALLOW_GROWTH'] ??= 'true';
  try {
    return createRequire(import.meta.url)(file) as TensorFlowBinding;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n', 1);
    throw new Error(`tensorflow does not load: ${reason}`, { cause: error });
  }
}

/** The addon's file, if there is one. */
export function findAddon(engineFolder: string | undefined): string | undefined {
  const roots = engineFolder === undefined ? [] : [join(tensorflowFolder(engineFolder), 'package.json')];
  for (const root of [...roots, import.meta.url]) {
    for (const name of TENSORFLOW_PACKAGES) {
      const file = addonOf(root, name);
      if (file !== undefined) return file;
    }
  }
  return undefined;
}

function addonOf(root: string, name: string): string | undefined {
  let manifest: string;
  try {
    manifest = createRequire(root).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
  const { binary } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly binary?: { readonly napi_versions?: readonly number[] };
  };
  const versions = (binary?.napi_versions ?? []).toSorted((a, b) => b - a);
  return versions
    .map((version) => join(dirname(manifest), 'lib', `napi-v${version}`, 'tfjs_binding.node'))
    .find((file) => existsSync(file));
}
