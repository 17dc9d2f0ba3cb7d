import type { Executor } from './executor.js';
import { describeMismatch, describeRejected, loadRuntime, type RuntimeSearch } from './load-runtime.js';
import { OnnxRuntimeExecutor } from './onnx-runtime-executor.js';

export interface ExecutorOptions extends Partial<RuntimeSearch> {
  /** Threads of one session. */
  readonly threads: number;
  /**
   * Whether a session gives its memory back after every run. Otherwise it keeps the most that it ever needed, rounded up
   * to a power of two, which saves time for small models. Default: false.
   */
  readonly returnsMemory?: boolean;
  /**
   * Called when `auto` falls back, with the reason, and when the library has a version that this package is not tested
   * with.
   */
  readonly log: (message: string) => void;
}

/** The fastest executor that works here. Throws if the requested engine does not load. */
export async function createExecutor({
  engine = 'auto',
  threads,
  returnsMemory = false,
  log,
  ...search
}: ExecutorOptions): Promise<Executor> {
  const loaded = await loadRuntime({ ...search, engine });
  if (engine === 'auto' && loaded.engine === 'onnxruntime-web') {
    log(`the policy uses onnxruntime-web, which is about four times slower (${describeRejected(loaded.rejected)})`);
  }
  const mismatch = describeMismatch(loaded);
  if (mismatch !== undefined) log(mismatch);
  return new OnnxRuntimeExecutor(loaded, threads, returnsMemory);
}
