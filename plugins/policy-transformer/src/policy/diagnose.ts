import type { Diagnosis } from '@agentgym/cli';

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
import { findAddon, loadTensorFlow, TENSORFLOW_VERSION } from '../executors/tensorflow/load-tensorflow.js';
import { TensorFlowExecutor } from '../executors/tensorflow/tensorflow-executor.js';

const NAMES = { 'onnxruntime-node': 'native engine', 'onnxruntime-web': 'WebAssembly engine' } as const;

interface Search extends Omit<RuntimeSearch, 'engine'> {
  /** See `ExecutorOptions`. */
  readonly engineFolder?: string;
}

/** Reports which engines work here, from which packages, why others do not work, and how to install them. */
export async function diagnose({ engineFolder, ...search }: Search = {}): Promise<readonly Diagnosis[]> {
  const native = await tryEngine({ ...search, engine: 'onnxruntime-node' });
  const web = await tryEngine({ ...search, engine: 'onnxruntime-web' });
  const machine = search.machine ?? `${process.platform}-${process.arch}`;
  return [
    ...('loaded' in native
      ? describeLoaded(native.loaded)
      : [
          {
            level: 'loaded' in web ? ('note' as const) : ('problem' as const),
            message: native.reason,
            hint: nativeHint(machine),
          },
        ]),
    ...('loaded' in web
      ? describeLoaded(web.loaded)
      : [
          {
            level: 'note' as const,
            message: web.reason,
            hint: `npm install onnxruntime-web@${RUNTIME_VERSION}`,
          },
        ]),
    await describeTensorFlow(engineFolder),
  ];
}

/** It is no problem where it is missing: nothing needs it. */
async function describeTensorFlow(engineFolder: string | undefined): Promise<Diagnosis> {
  if (findAddon(engineFolder) === undefined) {
    return {
      level: 'ok',
      message: 'TensorFlow: not installed',
      hint: '`agentgym doctor --fix tensorflow` installs it, for `policy.options.engine: tensorflow`',
    };
  }
  try {
    const { binding, file } = loadTensorFlow(engineFolder, 1);
    const executor = new TensorFlowExecutor(binding, 1);
    await checkExecutor(executor);
    await executor.dispose();
    const device = binding.isUsingGpuDevice() ? 'a GPU' : 'processors only';
    const other = binding.TF_Version === TENSORFLOW_VERSION ? '' : `, tested with ${TENSORFLOW_VERSION}`;
    return { level: 'ok', message: `TensorFlow: ${binding.TF_Version}${other}, ${device} (${file})` };
  } catch (error) {
    return {
      level: 'problem',
      message: error instanceof Error ? error.message : String(error),
      hint: 'Install it again: agentgym doctor --fix tensorflow',
    };
  }
}

function describeLoaded(loaded: LoadedRuntime): Diagnosis[] {
  const { engine, package: name, version, rejected } = loaded;
  const slower = engine === 'onnxruntime-web' ? ', about four times slower' : '';
  const others = rejected.length === 0 ? '' : ` (${describeRejected(rejected)})`;
  const mismatch = describeMismatch(loaded);
  return [
    { level: 'ok', message: `${NAMES[engine]}: ${name} ${version}${slower}${others}` },
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
