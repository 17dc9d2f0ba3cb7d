import { describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor } from '../executors/executor.js';
import type { RuntimeName } from '../executors/load-runtime.js';
import type { Constants } from '../executors/state.js';
import { gradients } from '../graph/gradients.js';
import { Graph } from '../graph/graph.js';
import { INT4_BLOCK, LARGEST_INT8_CODE } from './quantized-matmul.js';
import type { Tensor } from './tensor.js';

const ROWS = 100_003;
const executorOf = (engine: RuntimeName, threads: number) => createExecutor({ engine, threads, log: () => undefined });

/** A few waves: as good as random numbers, and the same everywhere. */
const wave = (index: number): number => Math.sin(index * 12.9898) + Math.cos(index * 0.37);

interface Product {
  /** The product of `left` [n, inputs]. */
  run(left: Float32Array): Promise<Float32Array>;
  readonly codes: Int8Array | Uint8Array;
  readonly scales: Float32Array;
}

type Format = 'int8' | 'int4';
const formats: readonly Format[] = ['int8', 'int4'];

function build(graph: Graph, left: Tensor, format: Format, outputs: number): Tensor {
  const inputs = left.shape[1]!;
  const blocks = Math.ceil(inputs / INT4_BLOCK);
  return format === 'int8'
    ? graph.int8Matmul(left, graph.state('codes', [outputs, inputs], 'int8'), graph.state('scales', [outputs]))
    : graph.int4Matmul(
        left,
        graph.state('codes', [outputs, blocks, INT4_BLOCK / 2], 'uint8'),
        graph.state('scales', [outputs, blocks]),
      );
}

async function product(
  executor: Executor,
  format: Format,
  outputs: number,
  inputs: number,
  code: (index: number) => number = (index) => Math.round(wave(index) * 32),
): Promise<Product> {
  const graph = new Graph();
  const out = build(graph, graph.input('left', [ROWS, inputs]), format, outputs);
  const blocks = Math.ceil(inputs / INT4_BLOCK);
  const count = format === 'int8' ? outputs * inputs : (outputs * blocks * INT4_BLOCK) / 2;
  const codes =
    format === 'int8'
      ? Int8Array.from({ length: count }, (_, index) => code(index))
      : Uint8Array.from({ length: count }, (_, index) => (index * 89) % 256);
  const scales = Float32Array.from(
    { length: format === 'int8' ? outputs : outputs * blocks },
    (_, index) => 0.01 * (1 + (index % 7)),
  );
  const fixed: Constants = executor.allocateConstants(
    new Map([
      ['codes', out.node.inputs[1]!],
      ['scales', out.node.inputs[2]!],
    ]),
  );
  await fixed.write('codes', codes, 0);
  await fixed.write('scales', scales, 0);
  const executable = await executor.compile({ outputs: { out }, openSizes: { rows: ROWS }, fixed });
  return {
    run: async (left) =>
      (await executable.run({ left }, { sizes: { rows: left.length / inputs } }))['out'] as Float32Array,
    codes,
    scales,
  };
}

/**
 * Products with weights as numbers of float64.
 * @param steps of activations up to the largest one in a group of `group` inputs
 */
function slowProduct(
  left: Float32Array,
  weights: readonly number[],
  { inputs, group, steps = 127 }: { readonly inputs: number; readonly group: number; readonly steps?: number },
): number[] {
  const outputs = weights.length / inputs;
  const rows = left.length / inputs;
  return Array.from({ length: rows * outputs }, (_, place) => {
    const [row, output] = [Math.floor(place / outputs), place % outputs];
    let sum = 0;
    for (let start = 0; start < inputs; start += group) {
      const part = left.subarray(row * inputs + start, row * inputs + Math.min(inputs, start + group));
      const step = Math.max(...part.map(Math.abs)) / steps;
      for (const [index, x] of part.entries())
        sum += (step === 0 ? 0 : Math.round(x / step) * step) * weights[output * inputs + start + index]!;
    }
    return sum;
  });
}

describe.each(['onnxruntime-node', 'onnxruntime-web'] as const)('products with quantized matrices, %s', (engine) => {
  it('of 8 bits equal exact sums of integers, at the largest codes too', async () => {
    const [outputs, inputs, rows] = [9, 300, 4];
    const executor = await executorOf(engine, 1);
    // Pairs of the largest codes and activations would saturate 16 bits if codes went to 127.
    for (const code of [undefined, (index: number) => (index % 5 === 0 ? -1 : 1) * LARGEST_INT8_CODE]) {
      const { run, codes, scales } = await product(executor, 'int8', outputs, inputs, code);
      const left = Float32Array.from({ length: rows * inputs }, (_, index) =>
        index < inputs ? 2.5 : index < 2 * inputs ? -2.5 : wave(index),
      );
      const weights = Array.from(codes, (each, index) => each * scales[Math.floor(index / inputs)]!);
      const expected = slowProduct(left, weights, { inputs, group: inputs });
      const found = await run(left);
      expect(found).toHaveLength(expected.length);
      for (const [index, x] of expected.entries()) {
        expect(Math.abs(found[index]! - x)).toBeLessThan(1e-5 * Math.max(1, Math.abs(x)));
      }
    }
  });

  it.each([64, 40])('of 4 bits equal products with the numbers that the codes mean, %d inputs', async (inputs) => {
    const [outputs, rows] = [6, 5];
    const blocks = Math.ceil(inputs / INT4_BLOCK);
    const { run, codes, scales } = await product(await executorOf(engine, 1), 'int4', outputs, inputs);
    const weights = Array.from({ length: outputs * inputs }, (_, index) => {
      const [output, input] = [Math.floor(index / inputs), index % inputs];
      const block = output * blocks + Math.floor(input / INT4_BLOCK);
      const place = input % INT4_BLOCK;
      const byte = codes[block * (INT4_BLOCK / 2) + Math.floor(place / 2)]!;
      return (((place % 2 === 0 ? byte : byte >> 4) & 15) - 8) * scales[block]!;
    });
    const left = Float32Array.from({ length: rows * inputs }, (_, index) => wave(index));
    // WebAssembly has no kernel that rounds activations, and multiplies in float32.
    const steps = engine === 'onnxruntime-node' ? 127 : 2 ** 24;
    const expected = slowProduct(left, weights, { inputs, group: INT4_BLOCK, steps });
    const found = await run(left);
    for (const [index, x] of expected.entries()) {
      expect(Math.abs(found[index]! - x)).toBeLessThan(1e-5 * Math.max(1, Math.abs(x)));
    }
  });

  it.each(formats)('in %s give a row the same bits in any batch and on any number of threads', async (format) => {
    for (const [outputs, inputs] of [
      [384, 128],
      [70, 40],
      [96, 1200],
    ] as const) {
      const left = Float32Array.from(
        { length: 70 * inputs },
        (_, index) => wave(index) * (index % inputs === 3 ? 9 : 1),
      );
      const { run } = await product(await executorOf(engine, 1), format, outputs, inputs);
      const whole = await run(left);
      for (const rows of [2, 3, 5, 8, 17, 64]) {
        const start = 70 - rows;
        const part = await run(left.slice(start * inputs));
        expect(part).toEqual(whole.slice(start * outputs));
      }
      const { run: onTwo } = await product(await executorOf(engine, 2), format, outputs, inputs);
      expect(await onTwo(left)).toEqual(whole);
    }
  });

  // A norm makes a whole row NaN before it is multiplied. A single NaN in a row can get lost.
  it.each(formats)('in %s are NaN in a row of NaN, and only there, and 0 in a row of zeros', async (format) => {
    const inputs = 64;
    const { run } = await product(await executorOf(engine, 1), format, 5, inputs);
    const left = Float32Array.from({ length: 3 * inputs }, (_, index) => (index < inputs ? 0 : wave(index)));
    const broken = left.slice();
    broken.fill(NaN, inputs, 2 * inputs);
    const [sound, found] = [await run(left), await run(broken)];
    expect([...sound.slice(0, 5)]).toEqual([0, 0, 0, 0, 0]);
    expect(found.slice(10)).toEqual(sound.slice(10));
    for (const x of found.slice(5, 10)) expect(x).toBeNaN();
  });
});

it.each(formats)('a product with a matrix of %s has no derivative', (format) => {
  const graph = new Graph();
  const left = graph.input('left', [2, 64]);
  const out = build(graph, left, format, 3);
  expect(() => gradients(graph, graph.sum(out), [left])).toThrow('has no derivative');
});

it.each(formats)('a product with a matrix of %s needs codes and scales that fit', (format) => {
  const graph = new Graph();
  const left = graph.input('left', [2, 64]);
  const wrong = graph.state('wrong', [3, 63], format === 'int8' ? 'int8' : 'uint8');
  const scales = graph.state('scales', [3]);
  const multiply = format === 'int8' ? graph.int8Matmul.bind(graph) : graph.int4Matmul.bind(graph);
  expect(() => multiply(left, wrong, scales)).toThrow(/float32\[2, 64\].*int8\[3, 63\]/);
});
