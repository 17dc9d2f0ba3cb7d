import { Graph } from '../graph/graph.js';
import type { Executor } from './executor.js';

/** Runs a program of one multiplication. Throws if the result is wrong. */
export async function checkExecutor(executor: Executor): Promise<void> {
  const graph = new Graph();
  const executable = await executor.compile({ outputs: { twice: graph.mul(graph.input('x', [1]), 2) } });
  try {
    const { twice } = await executable.run({ x: Float32Array.of(21) });
    if (twice?.[0] !== 42) throw new Error(`${executor.engine} computes 2 * 21 = ${twice?.[0]}`);
  } finally {
    await executable.dispose();
  }
}
