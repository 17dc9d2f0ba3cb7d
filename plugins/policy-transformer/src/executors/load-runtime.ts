/**
 * The only place that knows the packages of ONNX Runtime. The native library comes from
 * `@agentgym/onnxruntime-<platform>-<arch>`, which is onnxruntime-node without its install script and without files of
 * other platforms (`scripts/make-runtime-packages.ts`), or from onnxruntime-node if the user has it. If neither loads,
 * WebAssembly computes.
 */
import { arch, platform } from 'node:process';

import type * as OnnxRuntime from 'onnxruntime-common';

import type { Executor } from './executor.js';

/** What this package is made and tested with; package.json pins the same. */
export const RUNTIME_VERSION = '1.30.0';

/** `<platform>-<arch>` of Node.js for which there is a native library. Those for Linux want glibc 2.28. */
export const NATIVE_PLATFORMS = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

/** What the native package and the WebAssembly one have in common. */
export type Runtime = Pick<typeof OnnxRuntime, 'InferenceSession' | 'Tensor' | 'env'>;

/** A package that was tried in vain. */
export interface Rejected {
  readonly package: string;
  readonly reason: string;
}

export interface LoadedRuntime {
  readonly runtime: Runtime;
  readonly engine: Executor['engine'];
  /** Where it came from. */
  readonly package: string;
  readonly version: string;
  /** What was tried before, in order. */
  readonly rejected: readonly Rejected[];
}

export interface RuntimeSearch {
  /** `auto` uses the native library, or WebAssembly if the library does not load. */
  readonly engine: 'auto' | Executor['engine'];
  /** How a package is imported; for tests of its absence. */
  readonly importPackage?: (name: string) => Promise<unknown>;
  /** `<platform>-<arch>`; for tests. */
  readonly machine?: string;
}

/** The first package that loads. Throws with the reason of each where none does. */
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

/** The message about a library of another version; undefined if the version is the tested one. */
export function describeMismatch({ package: name, version }: LoadedRuntime): string | undefined {
  if (version === RUNTIME_VERSION) return undefined;
  return `${name} has version ${version}; this policy is tested with ${RUNTIME_VERSION}, and another version may round differently`;
}

/** One sentence for all that was tried in vain. */
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

function versionOf({ env }: Runtime, engine: Executor['engine']): string {
  return (engine === 'onnxruntime-node' ? env.versions.node : env.versions.web) ?? env.versions.common;
}

function reasonOf(error: unknown, name: string, machine: string): string {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { code: '', message: '' };
  const absent = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(`'${name}'`);
  if (!absent) return `does not load: ${(message || String(error)).split('\n', 1)[0]}`;
  if (name.startsWith('@agentgym/') && !NATIVE_PLATFORMS.includes(machine)) return `does not exist for ${machine}`;
  return 'is not installed';
}
