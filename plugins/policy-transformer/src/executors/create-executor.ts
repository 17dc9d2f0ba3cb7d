import type { Executor, Precision } from './executor.js';
import {
  describeMismatch,
  describeRejected,
  loadRuntime,
  type RuntimeName,
  type RuntimeSearch,
} from './load-runtime.js';
import { OnnxRuntimeExecutor } from './onnx-runtime-executor.js';

/** Engines that executors exist for. */
export type EngineName = RuntimeName | 'webgpu' | 'cuda' | 'tensorflow';

export interface ExecutorOptions extends Partial<Omit<RuntimeSearch, 'engine'>> {
  /** `auto` is the fastest that works on every machine: see `RuntimeSearch`. Default: `auto`. */
  readonly engine?: 'auto' | EngineName;
  /** Where `agentgym doctor --fix` puts engines that this package does not depend on. */
  readonly engineFolder?: string | undefined;
  /** Threads of one session. */
  readonly threads: number;
  /**
   * Whether a session gives its memory back after every run. Otherwise it keeps the most that it ever needed, rounded up
   * to a power of two, which saves time. Default: false.
   */
  readonly returnsMemory?: boolean;
  /** Engines other than TensorFlow know float32 only. Default: float32. */
  readonly precision?: Precision;
  /** Whether TensorFlow must repeat its bits on a GPU. Default: false. */
  readonly deterministic?: boolean;
  /**
   * Called when `auto` falls back, with the reason, and when the library has a version that this package is not tested
   * with.
   */
  readonly log: (message: string) => void;
}

/** The fastest executor that works here. Throws if the requested engine does not load. */
export async function createExecutor({
  engine = 'auto',
  engineFolder,
  threads,
  returnsMemory = false,
  precision = 'float32',
  deterministic = false,
  log,
  ...search
}: ExecutorOptions): Promise<Executor> {
  // Engines that most runs do not use are imported when they are asked for.
  if (engine === 'tensorflow') {
    const { TensorFlowExecutor } = await import('./tensorflow/tensorflow-executor.js');
    return TensorFlowExecutor.load({ engineFolder, threads, precision, deterministic });
  }
  if (engine === 'webgpu') {
    const { DeviceExecutor } = await import('./device/device-executor.js');
    return new DeviceExecutor(await loadRuntime({ ...search, engine: 'onnxruntime-node' }));
  }
  if (engine === 'cuda') {
    const { loadCuda } = await import('./cuda/load-cuda.js');
    return new OnnxRuntimeExecutor({ ...(await loadCuda(engineFolder)), engine }, threads, returnsMemory);
  }
  const loaded = await loadRuntime({ ...search, engine });
  if (engine === 'auto' && loaded.engine === 'onnxruntime-web') {
    log(`the policy uses onnxruntime-web, which is about four times slower (${describeRejected(loaded.rejected)})`);
  }
  const mismatch = describeMismatch(loaded);
  if (mismatch !== undefined) log(mismatch);
  return new OnnxRuntimeExecutor(loaded, threads, returnsMemory);
}
