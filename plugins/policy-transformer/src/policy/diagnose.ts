import type { Diagnosis, DiagnosisSettings } from '@agentgym/cli';

import type { EngineName } from '../executors/create-executor.js';
import { findCudaRuntime } from '../executors/cuda/load-cuda.js';
import { checkExecutor } from '../executors/check-executor.js';
import {
  describeMismatch,
  describeRejected,
  loadRuntime,
  NATIVE_PLATFORMS,
  RUNTIME_VERSION,
  type LoadedRuntime,
  type RuntimeName,
  type RuntimeSearch,
} from '../executors/load-runtime.js';
import { OnnxRuntimeExecutor } from '../executors/onnx-runtime-executor.js';
import { findAddon, hasGpuLibraries, TENSORFLOW_VERSION } from '../executors/tensorflow/load-tensorflow.js';
import { probeEngine } from './probe-engine.js';

const NAMES = { 'onnxruntime-node': 'native engine', 'onnxruntime-web': 'WebAssembly engine' } as const;

interface Search extends Omit<RuntimeSearch, 'engine'>, DiagnosisSettings {
  /** See `ExecutorOptions`. */
  readonly engineFolder?: string;
}

/** Reports which engines work here, from which packages, how fast, why others do not work, and how to get them. */
export async function diagnose({ engineFolder, quick = false, ...search }: Search = {}): Promise<readonly Diagnosis[]> {
  const speedOf = async (engine: EngineName): Promise<string> => {
    const probe = quick ? undefined : await probeEngine(engine, engineFolder, true);
    if (probe === undefined || 'problem' in probe || probe.speed === undefined) return '';
    return describeSpeed(probe.speed);
  };
  const native = await tryEngine({ ...search, engine: 'onnxruntime-node' });
  const web = await tryEngine({ ...search, engine: 'onnxruntime-web' });
  const machine = search.machine ?? `${process.platform}-${process.arch}`;
  const isOnGpu = hasGpuLibraries(engineFolder);
  return [
    ...('loaded' in native
      ? describeLoaded(native.loaded, await speedOf('onnxruntime-node'))
      : [
          {
            level: 'loaded' in web ? ('note' as const) : ('problem' as const),
            message: native.reason,
            hint: nativeHint(machine),
          },
        ]),
    ...('loaded' in web
      ? describeLoaded(web.loaded, await speedOf('onnxruntime-web'))
      : [
          {
            level: 'note' as const,
            message: web.reason,
            hint: `npm install onnxruntime-web@${RUNTIME_VERSION}`,
          },
        ]),
    await describeOther('webgpu', {
      name: 'WebGPU engine',
      cure: 'It needs a GPU with a driver of Vulkan, Metal or Direct3D 12.',
      remark: ', equal seeds may give other last bits',
    }),
    findCudaRuntime(engineFolder) === undefined
      ? { level: 'note', message: 'CUDA engine: not installed', hint: 'Install it: agentgym doctor --fix cuda' }
      : await describeOther('cuda', {
          name: 'CUDA engine',
          cure: 'It needs a GPU of NVIDIA with a driver for CUDA 13 (580 or later).',
          remark: ', equal seeds may give other last bits',
        }),
    findAddon(engineFolder) === undefined
      ? {
          level: 'note',
          message: 'TensorFlow engine: not installed',
          hint: 'Install it: agentgym doctor --fix tensorflow',
        }
      : await describeOther('tensorflow', {
          name: `TensorFlow engine${isOnGpu ? ' with the libraries of a GPU' : ''}`,
          cure: 'Install it again: agentgym doctor --fix tensorflow',
          remark: isOnGpu ? ', equal seeds give equal bits with `deterministic: true`' : '',
        }),
  ];

  /** An engine that nothing needs: it is no problem where it does not work. */
  async function describeOther(
    engine: EngineName,
    { name, cure, remark }: { readonly name: string; readonly cure: string; readonly remark: string },
  ): Promise<Diagnosis> {
    const probe = await probeEngine(engine, engineFolder, !quick);
    if ('problem' in probe)
      return { level: 'note', message: `${name}: not available here: ${shortened(probe.problem)}`, hint: cure };
    const other =
      engine === 'tensorflow' && probe.version !== TENSORFLOW_VERSION ? `, tested with ${TENSORFLOW_VERSION}` : '';
    const unknown = quick ? '' : ', too slow to measure';
    const speed = probe.speed === undefined ? unknown : describeSpeed(probe.speed);
    return { level: 'ok', message: `${name}: ${probe.version}${other}${speed}${remark}` };
  }
}

function describeSpeed(speed: number): string {
  return `, trains ${perSecond(speed)} of a micro model a second`;
}

/** Two digits, because a second measures no more. */
function perSecond(speed: number): string {
  return `${Number(speed.toPrecision(2)).toLocaleString('en')} tokens`;
}

/** The first line of a message, without the place in a library's source code. */
function shortened(message: string): string {
  const [first] = message.split('\n', 1) as [string];
  return first.replace(/^\/\S+:\d+ .* was false\. /, '');
}

function describeLoaded(loaded: LoadedRuntime, speed: string): Diagnosis[] {
  const { engine, package: name, version, rejected } = loaded;
  const slower = engine === 'onnxruntime-web' ? ', about four times slower' : '';
  const others = rejected.length === 0 ? '' : ` (${describeRejected(rejected)})`;
  const mismatch = describeMismatch(loaded);
  return [
    { level: 'ok', message: `${NAMES[engine]}: ${name} ${version}${speed || slower}${others}` },
    ...(mismatch === undefined
      ? []
      : [{ level: 'note' as const, message: mismatch, hint: `npm install ${name}@${RUNTIME_VERSION}` }]),
  ];
}

function nativeHint(machine: string): string {
  return NATIVE_PLATFORMS.includes(machine)
    ? `npm install @agentgym/onnxruntime-${machine}@${RUNTIME_VERSION} next to this policy; on Linux it needs glibc 2.28 or later`
    : `no native engine exists for ${machine}: training uses WebAssembly, which is about four times slower`;
}

/** Checks that the engine computes, not only that it loads. */
async function tryEngine(
  search: RuntimeSearch & { readonly engine: RuntimeName },
): Promise<{ readonly loaded: LoadedRuntime } | { readonly reason: string }> {
  try {
    const loaded = await loadRuntime(search);
    await checkExecutor(new OnnxRuntimeExecutor(loaded, 1));
    return { loaded };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
