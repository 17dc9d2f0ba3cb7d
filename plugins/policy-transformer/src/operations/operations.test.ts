/**
 * Tests every operation: its derivative in float64 against central differences, and what ONNX Runtime computes against
 * the reference backend. Goes red when a factor or sign in any `gradient` changes (tried: the sign in `div`, the reverse
 * in `cumulativeSum`, the tie of `max`, a factor in `rmsNorm`), and when a lowering is wrong. The file is long because it
 * is a table with one entry per operation.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import { stateOf } from '../executors/fixtures/state-of.js';
import type { Executable, Executor } from '../executors/executor.js';
import { gradients } from '../graph/gradients.js';
import { Graph } from '../graph/graph.js';
import { interpret, type Elements } from '../lowering/fixtures/reference/interpreter.js';
import { allOperations } from './fixtures/all-operations.js';
import { elementCount } from './shapes.js';
import type { HostArray, Shape, Tensor } from './tensor.js';

interface Derivative {
  readonly shapes: readonly Shape[];
  /** Lowest and highest number of the inputs. Default: -1 to 1. */
  readonly range?: readonly [number, number];
  /** Numbers of different inputs keep a distance, because there is a kink where they are equal. */
  readonly apart?: boolean;
  readonly of: (graph: Graph, ...inputs: Tensor[]) => Tensor | readonly Tensor[];
}

interface Values {
  readonly of: (graph: Graph) => Tensor;
  readonly expected: readonly number[];
}

/** Ids with repeats, as in any batch of tokens. */
const ids = (graph: Graph, shape: Shape, highest: number) =>
  graph.constant(
    Int32Array.from({ length: elementCount(shape) }, (_, i) => (i * i + 1) % highest),
    shape,
  );
const numbers = (graph: Graph, ...values: number[]) => graph.constant(Float32Array.from(values), [values.length]);
const flags = (graph: Graph, ...values: number[]) => graph.constant(Uint8Array.from(values), [values.length]);
const unary = (of: (graph: Graph, x: Tensor) => Tensor, range?: readonly [number, number]): Derivative => ({
  shapes: [[3, 4]],
  of,
  ...(range && { range }),
});
const binary = (of: (graph: Graph, x: Tensor, y: Tensor) => Tensor, range?: readonly [number, number]): Derivative => ({
  shapes: [
    [2, 3, 4],
    [3, 1],
  ],
  of,
  ...(range && { range }),
});

const derivatives: { readonly [name: string]: readonly Derivative[] } = {
  add: [binary((graph, x, y) => graph.add(x, y)), binary((graph, x, y) => graph.add(y, x))],
  sub: [binary((graph, x, y) => graph.sub(x, y))],
  mul: [binary((graph, x, y) => graph.mul(x, y)), unary((graph, x) => graph.mul(x, x))],
  div: [binary((graph, x, y) => graph.div(x, y), [0.5, 2])],
  max: [{ ...binary((graph, x, y) => graph.max(x, y)), apart: true }],
  min: [{ ...binary((graph, x, y) => graph.min(x, y)), apart: true }],
  neg: [unary((graph, x) => graph.neg(x))],
  exp: [unary((graph, x) => graph.exp(x))],
  log: [unary((graph, x) => graph.log(x), [0.5, 2])],
  sqrt: [unary((graph, x) => graph.sqrt(x), [0.5, 2])],
  sigmoid: [unary((graph, x) => graph.sigmoid(x))],
  silu: [unary((graph, x) => graph.silu(x), [-3, 3])],
  softplus: [unary((graph, x) => graph.softplus(x), [-3, 3]), unary((graph, x) => graph.logsigmoid(x), [-3, 3])],
  where: [binary((graph, x, y) => graph.where(graph.constant(Uint8Array.of(1, 0, 1, 1), [4]), x, y))],
  matmul: [
    {
      shapes: [
        [3, 4],
        [4, 2],
      ],
      of: (graph, x, y) => graph.matmul(x, y),
    },
    {
      shapes: [
        [4, 3],
        [2, 4],
      ],
      of: (graph, x, y) => graph.matmul(x, y, { transposeLeft: true, transposeRight: true, scale: 0.5 }),
    },
    {
      shapes: [
        [4, 3],
        [4, 2],
      ],
      of: (graph, x, y) => graph.matmul(x, y, { transposeLeft: true }),
    },
    {
      shapes: [
        [2, 3, 4],
        [4, 2],
      ],
      of: (graph, x, y) => graph.matmul(x, y),
    },
    {
      shapes: [
        [2, 3, 4],
        [5, 4],
      ],
      of: (graph, x, y) => graph.matmul(x, y, { transposeRight: true }),
    },
    {
      shapes: [
        [2, 1, 3, 4],
        [3, 5, 4],
      ],
      of: (graph, x, y) => graph.matmul(x, y, { transposeRight: true, scale: 2 }),
    },
    {
      shapes: [
        [2, 4, 3],
        [2, 4, 5],
      ],
      of: (graph, x, y) => graph.matmul(x, y, { transposeLeft: true }),
    },
    // One Gemm computes product and sum; the addend broadcasts, or is a product itself.
    { shapes: [[3, 4], [4, 2], [2]], of: (graph, x, y, z) => graph.add(graph.matmul(x, y), z) },
    {
      shapes: [
        [3, 4],
        [4, 2],
        [3, 2],
      ],
      of: (graph, x, y, z) => graph.add(graph.add(z, graph.matmul(x, y)), graph.matmul(x, y, { scale: 3 })),
    },
  ],
  reshape: [unary((graph, x) => graph.reshape(x, [2, -1]))],
  transpose: [{ shapes: [[2, 3, 4]], of: (graph, x) => graph.transpose(x, [2, 0, 1]) }],
  slice: [
    unary((graph, x) => graph.slice(x, -1, 1, -1)),
    unary((graph, x) => graph.slice(x, 0, 2, 3)),
    // Slices that take a tensor apart are one Split, in whatever order they are read.
    {
      shapes: [[2, 7]],
      of: (graph, x) => graph.concat([graph.slice(x, 1, 3, 7), graph.slice(x, 1, 0, 2), graph.slice(x, 1, 2, 3)], 1),
    },
  ],
  concat: [
    {
      shapes: [
        [2, 3],
        [2, 1],
      ],
      of: (graph, x, y) => graph.concat([x, y, x], 1),
    },
  ],
  expand: [{ shapes: [[3, 1]], of: (graph, x) => graph.expand(x, [2, 3, 4]) }],
  pad: [unary((graph, x) => graph.pad(x, 1, 2, 1))],
  gather: [
    {
      shapes: [[5, 3]],
      of: (graph, x) => {
        const inverse = graph.constant(Int32Array.of(3, 1, 3, 0, 2), [5]);
        return graph.gather(x, graph.constant(Int32Array.of(3, 1, 4), [3]), inverse);
      },
    },
    { shapes: [[5, 3]], of: (graph, x) => graph.gather(x, ids(graph, [4, 3], 5)) },
    { shapes: [[1030, 2]], of: (graph, x) => graph.slice(graph.gather(x, ids(graph, [4, 3], 5)), 1, 0, 2) },
  ],
  scatterSum: [
    { shapes: [[2, 3, 4]], of: (graph, x) => graph.scatterSum(x, ids(graph, [2, 3], 4), 5) },
    { shapes: [[6, 2]], of: (graph, x) => graph.scatterSum(x, ids(graph, [6], 4), 1030) },
  ],
  gatherElements: [{ shapes: [[3, 4]], of: (graph, x) => graph.gatherElements(x, ids(graph, [3, 5], 4)) }],
  addElements: [
    {
      shapes: [
        [3, 4],
        [3, 5],
      ],
      of: (graph, x, y) => graph.addElements(x, ids(graph, [3, 5], 4), y),
    },
  ],
  sum: [unary((graph, x) => graph.sum(x)), unary((graph, x) => graph.sum(x, { axes: [-1], keep: true }))],
  cumulativeSum: [
    unary((graph, x) => graph.cumulativeSum(x, 1)),
    unary((graph, x) => graph.cumulativeSum(x, 0, { reverse: true })),
    // A long last axis is turned.
    { shapes: [[2, 3, 70]], of: (graph, x) => graph.cumulativeSum(x, -1, { reverse: true }) },
  ],
  softmax: [unary((graph, x) => graph.softmax(x))],
  logSoftmax: [unary((graph, x) => graph.logSoftmax(x))],
  tokenStatistics: [
    unary((graph, x) => graph.tokenStatistics(x, ids(graph, [3], 4)).logprob),
    unary((graph, x) => graph.tokenStatistics(x, ids(graph, [3], 4)).entropy, [-2, 2]),
    unary((graph, x) => {
      const { logprob, entropy } = graph.tokenStatistics(x, ids(graph, [3], 4));
      return graph.add(graph.mul(logprob, 0.7), entropy);
    }),
  ],
  rmsNorm: [{ shapes: [[2, 3, 4], [4]], of: (graph, x, weight) => graph.rmsNorm(x, weight, 1e-2) }],
  rotary: [
    {
      shapes: [[2, 3, 8]],
      of: (graph, x) => {
        const angles = Float32Array.from({ length: 12 }, (_, i) => i);
        return graph.rotary(
          x,
          graph.constant(angles.map(Math.cos), [2, 3, 2]),
          graph.constant(angles.map(Math.sin), [2, 3, 2]),
        );
      },
    },
  ],
  scaledAttention: [
    {
      shapes: [
        [2, 3, 4],
        [2, 5, 4],
        [2, 5, 3],
      ],
      of: (graph, query, key, value) => {
        const bias = Float32Array.from({ length: 15 }, (_, i) => (i % 5 > i / 5 + 1 ? -1e9 : 0));
        return graph.scaledAttention(query, key, value, graph.constant(bias, [3, 5]), 0.5);
      },
    },
  ],
};

const CODES = {
  int8: Int8Array.of(32, 0, -64),
  int4: Uint8Array.from({ length: 16 }, (_, index) => (index === 0 ? 0xf0 : 0x88)),
};

/** A matrix [1, 3] with the weights 32, 0, -64 of 8 bits, or -8, 7, 0 of 4 bits, before their scales. */
async function codes(executor: Executor) {
  const state = executor.allocateConstants(
    new Map([
      ['int8', { shape: [1, 3], type: 'int8' }],
      ['int4', { shape: [1, 1, 16], type: 'uint8' }],
    ] as const),
  );
  for (const [name, data] of Object.entries(CODES)) await state.write(name, data, 0);
  return state;
}

const values: { readonly [name: string]: readonly Values[] } = {
  int8Matmul: [
    {
      of: (graph) => {
        const left = graph.reshape(numbers(graph, 1, 0.3, -1), [1, 3]);
        return graph.int8Matmul(left, graph.state('int8', [1, 3], 'int8'), numbers(graph, 0.5));
      },
      expected: [48],
    },
  ],
  int4Matmul: [
    {
      of: (graph) => {
        const left = graph.reshape(numbers(graph, 1, -1, 0.3), [1, 3]);
        const scales = graph.reshape(numbers(graph, 0.5), [1, 1]);
        return graph.int4Matmul(left, graph.state('int4', [1, 1, 16], 'uint8'), scales);
      },
      expected: [-7.5],
    },
  ],
  input: [{ of: (graph) => graph.mul(graph.input('three', [2]), 2), expected: [6, 6] }],
  state: [{ of: (graph) => graph.mul(graph.state('four', [2]), 2), expected: [8, 8] }],
  constant: [{ of: (graph) => numbers(graph, 1, -0, 2.5), expected: [1, -0, 2.5] }],
  stopGradient: [
    {
      of: (graph) => {
        const x = graph.input('three', [2]);
        return gradient(graph, graph.mul(x, graph.stopGradient(x)), x);
      },
      expected: [3, 3],
    },
  ],
  equal: [{ of: (graph) => graph.equal(numbers(graph, 1, 2, 3), 2), expected: [0, 1, 0] }],
  less: [
    { of: (graph) => graph.less(numbers(graph, 1, 2, 3), 2), expected: [1, 0, 0] },
    { of: (graph) => graph.greater(graph.range(0, 3), 1), expected: [0, 0, 1] },
  ],
  lessOrEqual: [
    { of: (graph) => graph.lessOrEqual(numbers(graph, 1, 2, 3), 2), expected: [1, 1, 0] },
    { of: (graph) => graph.greaterOrEqual(numbers(graph, 1, 2, 3), 2), expected: [0, 1, 1] },
  ],
  or: [{ of: (graph) => graph.or(flags(graph, 1, 1, 0), flags(graph, 1, 0, 0)), expected: [1, 1, 0] }],
  cast: [
    { of: (graph) => graph.cast(numbers(graph, 1.7, -1.7), 'int32'), expected: [1, -1] },
    { of: (graph) => graph.cast(flags(graph, 1, 0), 'float32'), expected: [1, 0] },
  ],
  oneHot: [{ of: (graph) => graph.oneHot(graph.range(1, 3), 3), expected: [0, 1, 0, 0, 0, 1] }],
  argMax: [{ of: (graph) => graph.argMax(graph.reshape(numbers(graph, 1, 3, 3, 5, 4, 4), [2, 3])), expected: [1, 0] }],
  topK: [
    { of: (graph) => graph.topK(numbers(graph, 4, 9, 1, 9), 3).values, expected: [9, 9, 4] },
    { of: (graph) => graph.topK(numbers(graph, 4, 9, 1, 9), 3).indices, expected: [1, 3, 0] },
  ],
  // On a tie the derivative goes to the left operand, as in losses.
  max: [{ of: (graph) => tieDerivatives(graph, 'max'), expected: [1, 1, 0, 0] }],
  min: [{ of: (graph) => tieDerivatives(graph, 'min'), expected: [1, 1, 0, 0] }],
  // A NaN in the branch that is not taken reaches neither value nor derivative.
  where: [
    {
      of: (graph) => {
        const x = graph.input('three', [2]);
        const masked = graph.where(flags(graph, 1, 0), x, 0);
        const safe = graph.where(flags(graph, 1, 0), graph.log(masked), 0);
        return graph.concat([safe, gradient(graph, safe, x)], 0);
      },
      expected: [Math.log(3), 0, 1 / 3, 0],
    },
  ],
  softplus: [{ of: (graph) => graph.softplus(numbers(graph, -200, 0, 200)), expected: [0, Math.log(2), 200] }],
};

function gradient(graph: Graph, of: Tensor, withRespectTo: Tensor): Tensor {
  return gradients(graph, graph.sum(of), [withRespectTo])[0]!;
}

function tieDerivatives(graph: Graph, operation: 'max' | 'min'): Tensor {
  const left = graph.input('three', [2]);
  const right = numbers(graph, 3, 3);
  return graph.concat(gradients(graph, graph.sum(graph[operation](left, right)), [left, right]), 0);
}

/** Reproducible numbers without pattern. */
function noise(count: number, [low, high]: readonly [number, number], seed: number): Float32Array {
  let state = seed * 2654435761 + 12345;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return low + ((high - low) * (state >>> 8)) / 2 ** 24;
  });
}

const executors: Executor[] = [];
beforeAll(async () => {
  for (const threads of [1, 2])
    executors.push(await createExecutor({ threads, log: () => undefined, engine: 'onnxruntime-node' }));
});
const opened: Executable[] = [];
afterAll(async () => {
  for (const executable of opened) await executable.dispose();
});

async function compile(threads: 1 | 2, outputs: { readonly [name: string]: Tensor }): Promise<Executable> {
  const executable = await executors[threads - 1]!.compile({ outputs });
  opened.push(executable);
  return executable;
}

/** The outputs of an operation, a loss over them, and its slopes. */
function lossAndSlopes({ shapes, of }: Derivative): { readonly [name: string]: Tensor } {
  const graph = new Graph();
  const inputs = shapes.map((shape, index) => graph.input(`x${index}`, shape));
  const outputs = [of(graph, ...inputs)].flat();
  // Uneven weights, so that no error cancels in the sum.
  const loss = outputs
    .map((tensor, i) =>
      graph.sum(graph.mul(tensor, graph.constant(noise(elementCount(tensor.shape), [0.5, 1.5], i + 7), tensor.shape))),
    )
    .reduce((sum, term) => graph.add(sum, term));
  const named = (prefix: string, tensors: readonly Tensor[]) =>
    Object.fromEntries(tensors.map((tensor, index) => [`${prefix}${index}`, tensor]));
  return { loss, ...named('out', outputs), ...named('slope', gradients(graph, loss, inputs)) };
}

function inputsOf({ shapes, range = [-1, 1], apart }: Derivative, seed: number): { [name: string]: Float32Array } {
  const arrays = shapes.map((shape, index) => {
    const drawn = noise(elementCount(shape), range, seed + index + 1);
    return [`x${index}`, apart ? drawn.map((x) => Math.round(16 * x) / 16 + index / 32) : drawn] as const;
  });
  return Object.fromEntries(arrays);
}

/** Values of the reference, in float64. */
function reference(outputs: { readonly [name: string]: Tensor }, given: { readonly [name: string]: Elements }) {
  return interpret(outputs, ({ attributes }) => {
    const { name, names = [name] } = attributes as { readonly name?: string; readonly names?: readonly string[] };
    return given[names[0]!]!;
  });
}

const STEP = 1e-5;

describe('derivatives in float64 agree with central differences', () => {
  for (const [name, cases] of Object.entries(derivatives)) {
    it(name, () => {
      for (const [number, derivative] of cases.entries()) {
        const { loss, ...others } = lossAndSlopes(derivative) as { [name: string]: Tensor; loss: Tensor };
        const inputs = inputsOf(derivative, 100 * number);
        const slopes = reference(others, inputs);
        for (const [index, input] of Object.values(inputs).entries()) {
          // Rows without an id have no slope. There may be hundreds of them, but a few are enough.
          for (let i = 0; i < Math.min(input.length, 64); i++) {
            const at = (x: number) =>
              reference({ loss }, { ...inputs, [`x${index}`]: Array.from(input).with(i, x) })['loss']![0]!;
            const numeric = (at(input[i]! + STEP) - at(input[i]! - STEP)) / (2 * STEP);
            const error = Math.abs(slopes[`slope${index}`]![i]! - numeric);
            expect(error, `case ${number}, input ${index}, element ${i}`).toBeLessThan(
              1e-8 * Math.max(1, Math.abs(numeric)),
            );
          }
        }
      }
    });
  }
});

describe('ONNX Runtime agrees with the reference in values and derivatives, at one thread and at two', () => {
  for (const [name, cases] of Object.entries(derivatives)) {
    it(name, async () => {
      for (const [number, derivative] of cases.entries()) {
        const outputs = lossAndSlopes(derivative);
        const inputs = inputsOf(derivative, 100 * number);
        const expected = reference(outputs, inputs);
        for (const threads of [1, 2] as const) {
          const got = await (await compile(threads, outputs)).run(inputs);
          for (const [output, elements] of Object.entries(expected)) {
            const largest = Array.from(elements).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
            const errors = Array.from(elements, (x, index) => Math.abs(got[output]![index]! - x));
            expect(Math.max(...errors), `case ${number}, ${output}`).toBeLessThan(1e-6 * Math.max(1, largest));
          }
        }
      }
    });
  }
});

describe('values of ONNX Runtime and of the reference', () => {
  for (const [name, cases] of Object.entries(values)) {
    it(name, async () => {
      for (const { of, expected } of cases) {
        const out = of(new Graph());
        const executable = await compile(1, { out });
        const inputs = { three: Float32Array.of(3, 3) };
        const arrays = { four: Float32Array.of(4, 4) };
        const state = [stateOf(executors[0]!, new Map(Object.entries(arrays))), await codes(executors[0]!)];
        const computed = (await executable.run(inputs, { state }))['out']!;
        for (const got of [computed, reference({ out }, { ...inputs, ...arrays, ...CODES })['out']!]) {
          expect(got.length).toBe(expected.length);
          for (const [index, x] of Array.from(got).entries()) expect(x).toBeCloseTo(expected[index]!, 6);
        }
      }
    });
  }
});

describe('an operation', () => {
  it('is checked here, each and every one', async () => {
    const names = (await allOperations()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(30);
    const checked = new Set([...Object.keys(derivatives), ...Object.keys(values)]);
    expect(names.filter((name) => !checked.has(name))).toEqual([]);
    expect([...checked].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('that sums over repeated ids loses none of them at two threads', async () => {
    const count = 4096;
    for (const rows of [7, 5000]) {
      const graph = new Graph();
      const values = graph.input('values', [count, 16]);
      const tokens = graph.input('ids', [count], 'int32');
      const outputs = { out: graph.scatterSum(values, tokens, rows) };
      const inputs = {
        values: new Float32Array(count * 16).fill(1),
        ids: Int32Array.from({ length: count }, (_, i) => i % 3),
      };
      const out: HostArray = (await (await compile(2, outputs)).run(inputs))['out']!;
      expect([out[0], out[16], out[32], out[48]]).toEqual([1366, 1365, 1365, 0]);
    }
  });
});
