/**
 * Only this file knows the packages of ONNX Runtime. The native library comes from
 * `@agentgym/onnxruntime-<platform>-<arch>`, which is onnxruntime-node without its install script and without files of
 * other platforms (`scripts/make-runtime-packages.ts`), or from onnxruntime-node if the user has it. If neither loads,
 * WebAssembly is used.
 */
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';

import type * as OnnxRuntime from 'onnxruntime-common';

/** The version that this package is tested with. package.json pins the same version. */
export const RUNTIME_VERSION = '1.30.0';

/** Platforms with a native library, as `<platform>-<arch>` of Node.js. On Linux it needs glibc 2.28. */
export const NATIVE_PLATFORMS = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

export type RuntimeName = 'onnxruntime-node' | 'onnxruntime-web';

/** The common interface of the native package and the WebAssembly package. */
export type Runtime = Pick<typeof OnnxRuntime, 'InferenceSession' | 'Tensor' | 'env'>;

/** A package that did not load. */
export interface Rejected {
  readonly package: string;
  readonly reason: string;
}

export interface LoadedRuntime {
  readonly runtime: Runtime;
  readonly engine: RuntimeName;
  /** The package that was loaded. */
  readonly package: string;
  readonly version: string;
  /** Packages that were tried before, in order. */
  readonly rejected: readonly Rejected[];
}

export interface RuntimeSearch {
  /** `auto` uses the native library, or WebAssembly if the library does not load. */
  readonly engine: 'auto' | RuntimeName;
  /** Imports a package. Tests replace it to simulate missing packages. */
  readonly importPackage?: (name: string) => Promise<unknown>;
  /** `<platform>-<arch>`; for tests. */
  readonly machine?: string;
}

/** Loads the first package that works. If none works, the error gives the reason for each. */
export async function loadRuntime(search: RuntimeSearch): Promise<LoadedRuntime> {
  const { engine, importPackage = (name: string) => import(name), machine = `${platform}-${arch}` } = search;
  const rejected: Rejected[] = [];
  for (const candidate of candidates(engine, machine)) {
    try {
      const runtime = (await importPackage(candidate.package)) as Runtime;
      return { ...candidate, runtime, version: versionOf(runtime, candidate.engine), rejected };
    } catch (error) {
      rejected.push({ package: candidate.package, reason: reasonOf(error, candidate.package, machine) });
    }
  }
  const kind = engine === 'auto' ? 'engine' : engine === 'onnxruntime-node' ? 'native engine' : 'WebAssembly engine';
  throw new Error(`no ${kind} loads here: ${describeRejected(rejected)}`);
}

/** The runtime that `loadRuntime` will probably load: whether it loads shows only then. */
export function likelyRuntime(engine: RuntimeSearch['engine']): RuntimeName {
  const { resolve } = createRequire(import.meta.url);
  const isInstalled = (name: string): boolean => {
    try {
      resolve(name);
      return true;
    } catch {
      return false;
    }
  };
  const found = candidates(engine, `${platform}-${arch}`).find((candidate) => isInstalled(candidate.package));
  return found?.engine ?? 'onnxruntime-web';
}

/** The message about a library of another version; undefined if the version is the tested one. */
export function describeMismatch({ package: name, version }: LoadedRuntime): string | undefined {
  if (version === RUNTIME_VERSION) return undefined;
  return `${name} has version ${version}; this policy is tested with ${RUNTIME_VERSION}, and another version may round differently`;
}

/** One sentence about all packages that did not load. */
export function describeRejected(rejected: readonly Rejected[]): string {
  return rejected.map(({ package: name, reason }) => `${name} ${reason}`).join('; ');
}

function candidates(engine: RuntimeSearch['engine'], machine: string) {
  const native = [`@agentgym/onnxruntime-${machine}`, 'onnxruntime-node'] as const;
  const all = [
    ...native.map((name) => ({ package: name, engine: 'onnxruntime-node' as const })),
    { package: 'onnxruntime-web', engine: 'onnxruntime-web' as const },
  ];
  return all.filter((candidate) => engine === 'auto' || candidate.engine === engine);
}

function versionOf({ env }: Runtime, engine: RuntimeName): string {
  return (engine === 'onnxruntime-node' ? env.versions.node : env.versions.web) ?? env.versions.common;
}

function reasonOf(error: unknown, name: string, machine: string): string {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { code: '', message: '' };
  const absent = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(`'${name}'`);
  if (!absent) return `does not load: ${(message || String(error)).split('\n', 1)[0]}`;
  if (name.startsWith('@agentgym/') && !NATIVE_PLATFORMS.includes(machine)) return `does not exist for ${machine}`;
  return 'is not installed';
}
