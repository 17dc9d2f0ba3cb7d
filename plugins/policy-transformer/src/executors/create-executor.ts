import type { Executor } from './executor.js';
import { OnnxRuntimeExecutor, type Runtime } from './onnx-runtime-executor.js';

export interface ExecutorOptions {
  /** `auto` takes the native library, and WebAssembly where that does not load. */
  readonly engine?: 'auto' | Executor['engine'];
  /** Threads of one session. */
  readonly threads: number;
  /** Is told when `auto` falls back, and why. */
  readonly log: (message: string) => void;
  /** How the native library is loaded; for tests of its absence. */
  readonly loadNative?: () => Promise<Runtime>;
}

/** The fastest executor that works here. Throws where the one asked for does not load. */
export async function createExecutor(options: ExecutorOptions): Promise<Executor> {
  const { engine = 'auto', threads, log, loadNative = () => import('onnxruntime-node') } = options;
  if (engine === 'onnxruntime-web') return webExecutor(threads);
  try {
    const runtime = await loadNative();
    return new OnnxRuntimeExecutor(runtime, { engine: 'onnxruntime-node', threads });
  } catch (error) {
    if (engine === 'onnxruntime-node') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    log(`onnxruntime-node does not load (${reason}); computing with onnxruntime-web, about four times slower`);
    return webExecutor(threads);
  }
}

async function webExecutor(threads: number): Promise<Executor> {
  const runtime = (await import('onnxruntime-web')) as unknown as Runtime;
  runtime.env.wasm.numThreads = threads;
  return new OnnxRuntimeExecutor(runtime, { engine: 'onnxruntime-web', threads });
}
