import type { Diagnosis } from '@agentgym/cli';

import { createExecutor } from '../executors/create-executor.js';
import { Graph } from '../graph/graph.js';

/** Which engines compute here, and how to get those that do not. */
export async function diagnose(): Promise<readonly Diagnosis[]> {
  const native = await tryEngine('onnxruntime-node');
  const web = await tryEngine('onnxruntime-web');
  return [
    'version' in native
      ? { level: 'ok', message: `native engine: onnxruntime-node ${native.version}` }
      : {
          level: 'version' in web ? 'note' : 'problem',
          message: `onnxruntime-node does not run here: ${native.reason}`,
          hint: 'npm install onnxruntime-node with ONNXRUNTIME_NODE_INSTALL=skip set; it has binaries for Linux, macOS on arm64 and Windows',
        },
    'version' in web
      ? { level: 'ok', message: `WebAssembly engine: onnxruntime-web ${web.version}, about four times slower` }
      : {
          level: 'note',
          message: `onnxruntime-web does not run here: ${web.reason}`,
          hint: 'npm install onnxruntime-web',
        },
  ];
}

/** Not that it loads, but that it computes. */
async function tryEngine(engine: 'onnxruntime-node' | 'onnxruntime-web') {
  try {
    const executor = await createExecutor({ engine, threads: 1, log: () => undefined });
    const graph = new Graph();
    const executable = await executor.compile({ outputs: { twice: graph.mul(graph.input('x', [1]), 2) } });
    const { twice } = await executable.run({ x: Float32Array.of(21) });
    await executable.dispose();
    if (twice?.[0] !== 42) throw new Error(`it computes 2 * 21 = ${twice?.[0]}`);
    return { version: executor.version };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}
