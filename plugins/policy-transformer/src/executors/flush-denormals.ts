import { arch, platform } from 'node:process';

import { checkExecutor } from './check-executor.js';
import { createExecutor, type EngineName } from './create-executor.js';

/** Platforms on which ONNX Runtime can make the setting and threads inherit it. */
const FLUSHING_PLATFORMS = ['linux-x64'];

/**
 * Makes denormal numbers count as zero in this thread and in threads that it starts later. ONNX Runtime does this only
 * in the thread of the process's first session, so this must be the first. Returns a problem to report. An engine that
 * does not work is none: its cores report it.
 */
export async function flushDenormals(engine: 'auto' | EngineName): Promise<string | undefined> {
  // TensorFlow does so by itself, in its own threads.
  if (engine !== 'auto' && engine !== 'onnxruntime-node') return undefined;
  try {
    const executor = await createExecutor({ engine, threads: 1, log: () => undefined });
    if (executor.engine === 'onnxruntime-web') return undefined;
    await checkExecutor(executor);
  } catch {
    return undefined;
  }
  if (!FLUSHING_PLATFORMS.includes(`${platform}-${arch}`) || countsDenormalsAsZero()) return undefined;
  return 'another part of this process used ONNX Runtime first, so denormal numbers do not count as zero: training may be slower, and its last bits differ';
}

function countsDenormalsAsZero(): boolean {
  const numbers = Float64Array.of(Number.MIN_VALUE);
  return numbers[0]! * 2 === 0;
}
