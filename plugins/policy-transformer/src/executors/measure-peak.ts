import { Graph } from '../graph/graph.js';
import type { Executor } from './executor.js';

const SMALLEST = 256;
/** Two matrices of this size take 128 MB. A GPU needs large ones. */
const LARGEST = 4096;
/** A product that takes longer hides the time to start it. */
const LONG_ENOUGH = 0.002;
const REPETITIONS = 3;

/**
 * Floating-point operations a second of the executor in a product of two square matrices: the fastest of three, of the
 * smallest size that takes 2 milliseconds.
 */
export async function measurePeak(executor: Executor): Promise<number> {
  for (let size = SMALLEST; ; size *= 2) {
    const seconds = await fastestProduct(executor, size);
    if (seconds >= LONG_ENOUGH || size >= LARGEST) return (2 * size ** 3) / seconds;
  }
}

async function fastestProduct(executor: Executor, size: number): Promise<number> {
  const graph = new Graph();
  const shape = [size, size];
  const state = executor.allocate(
    new Map([
      ['left', shape],
      ['right', shape],
    ]),
  );
  const product = graph.matmul(graph.state('left', shape), graph.state('right', shape));
  // Only one row leaves the device.
  const executable = await executor.compile({ outputs: { row: graph.slice(product, 0, 0, 1) } });
  try {
    // The first run allocates.
    await executable.run({}, { state: [state] });
    let fastest = Infinity;
    for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
      const start = performance.now();
      await executable.run({}, { state: [state] });
      fastest = Math.min(fastest, (performance.now() - start) / 1000);
    }
    return fastest;
  } finally {
    await executable.dispose();
    await state.dispose();
  }
}
