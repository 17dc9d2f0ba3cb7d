/**
 * Law 7 and the batch independence of sampling depend on the engine's matrix products: bits must not depend on threads,
 * nor, if weights are bound, on the other rows. Goes red when `isTurned` returns false or ignores `isFixed`.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { createExecutor } from '../../executors/create-executor.js';
import type { Executor } from '../../executors/executor.js';
import { stateOf } from '../../executors/fixtures/state-of.js';
import { Graph } from '../../graph/graph.js';

const made = new Map<string, Float32Array>();

/** The same numbers each time; making them takes longer than the products. */
function noise(count: number, seed: number): Float32Array {
  const key = `${count} ${seed}`;
  const numberAt = (i: number) => Math.sin(seed + i * 12.9898) * Math.cos(i * 0.37 + seed);
  const numbers = made.get(key) ?? Float32Array.from({ length: count }, (_, i) => numberAt(i));
  made.set(key, numbers);
  return numbers;
}

const executors: Executor[] = [];
beforeAll(async () => {
  for (const threads of [1, 2]) executors.push(await createExecutor({ threads, log: () => undefined }));
});

interface Product {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
}

async function multiply(executor: Executor, { rows, inner, columns }: Product, bound: boolean): Promise<Float32Array> {
  const graph = new Graph();
  const x = graph.input('x', [rows, inner]);
  const weight = graph.state('weight', [columns, inner]);
  const out = graph.add(graph.matmul(x, weight, { transposeRight: true }), graph.state('bias', [columns]));
  const state = stateOf(
    executor,
    new Map([
      ['weight', noise(columns * inner, 2)],
      ['bias', noise(columns, 3)],
    ]),
  );
  const executable = await executor.compile({ outputs: { out }, ...(bound && { fixed: state }) });
  const got = await executable.run({ x: noise(rows * inner, 1) }, { state: [state] });
  await executable.dispose();
  return got['out'] as Float32Array;
}

const shapes = [64, 128].flatMap((columns) =>
  [96, 300, 700].flatMap((inner) => [40, 200].map((rows) => ({ rows, inner, columns }))),
);

describe('a matrix product', () => {
  it.each(shapes)(
    'of [$rows, $inner] and [$inner, $columns] has the same bits at one thread and at two',
    async (shape) => {
      for (const bound of [false, true]) {
        const [one, two] = await Promise.all(executors.map((executor) => multiply(executor, shape, bound)));
        expect(Buffer.from(one!.buffer).equals(Buffer.from(two!.buffer)), `bound: ${bound}`).toBe(true);
      }
    },
  );

  it('with bound weights gives a row the same bits in any batch', async () => {
    for (const inner of [96, 300, 700]) {
      const alone = await multiply(executors[0]!, { rows: 2, inner, columns: 128 }, true);
      for (const rows of [3, 32, 100, 200]) {
        for (const executor of executors) {
          const together = await multiply(executor, { rows, inner, columns: 128 }, true);
          expect(together.slice(0, 256)).toEqual(alone);
        }
      }
    }
  });

  // What large models rely on, whose weights are never bound. A single row takes another path than several.
  it.each([
    { fewRows: false, batches: [2, 3, 8, 16, 17, 33, 64, 65, 200] },
    { fewRows: true, batches: [1, 2, 3, 7, 8, 15, 16] },
  ])(
    'with weights as state gives a row the same bits in any batch, fewRows: $fewRows',
    async ({ fewRows, batches }) => {
      const standIn = 100_003;
      for (const [inner, columns] of [
        [896, 16],
        [16, 896],
        [896, 1152],
        [4864, 896],
      ] as const) {
        const x = noise(Math.max(...batches) * inner, 1);
        const least = Math.min(...batches) * columns;
        const answers: Float32Array[] = [];
        for (const executor of [...executors, ...(fewRows ? [await webAssembly()] : [])]) {
          const graph = new Graph();
          const out = graph.matmul(graph.input('x', [standIn, inner]), graph.state('weight', [columns, inner]), {
            transposeRight: true,
            fewRows,
          });
          const state = [stateOf(executor, new Map([['weight', noise(columns * inner, 2)]]))];
          const executable = await executor.compile({ outputs: { out }, openSizes: { rows: standIn } });
          const own: Float32Array[] = [];
          for (const rows of batches) {
            const got = await executable.run({ x: x.subarray(0, rows * inner) }, { state, sizes: { rows } });
            own.push((got['out'] as Float32Array).slice(0, least));
          }
          await executable.dispose();
          for (const answer of own) expect(answer).toEqual(own[0]);
          if (executor.engine === 'onnxruntime-node') answers.push(own[0]!);
        }
        for (const answer of answers) expect(answer).toEqual(answers[0]);
      }
    },
  );
});

const webAssembly = () => createExecutor({ engine: 'onnxruntime-web', threads: 1, log: () => undefined });

describe('a product of single rows with matrices that several of them share', () => {
  const [width, matrices, sharing] = [64, 4, 3];
  const overCache = async (executor: Executor, capacity: number, transposeRight: boolean, rows: number) => {
    const graph = new Graph();
    const [left, right] = transposeRight ? [width, capacity] : [capacity, width];
    const out = graph.matmul(
      graph.input('left', [rows, matrices, sharing, 1, left]),
      graph.input('cache', [rows, matrices, 1, capacity, width]),
      { transposeRight },
    );
    const executable = await executor.compile({ outputs: { out } });
    const got = await executable.run({
      left: noise(rows * matrices * sharing * left, 4),
      cache: noise(rows * matrices * capacity * width, 5),
    });
    await executable.dispose();
    return (got['out'] as Float32Array).subarray(0, matrices * sharing * right);
  };

  it.each([
    ['keys', true],
    ['values', false],
  ])('has the same bits at any number of threads, and beside any number of others: %s', async (_, isOfKeys) => {
    for (const capacity of [32, 320, 4096]) {
      const expected = await overCache(executors[0]!, capacity, isOfKeys, 1);
      for (const executor of executors) {
        for (const rows of [1, 2, 9]) expect(await overCache(executor, capacity, isOfKeys, rows)).toEqual(expected);
      }
    }
  });
});
