/**
 * Tests every operation: its derivative in float64 against central differences, and what ONNX Runtime computes against
 * the reference backend. Goes red when a factor or sign in any `gradient` changes (tried: the sign in `div`, the reverse
 * in `cumulativeSum`, the tie of `max`, a factor in `rmsNorm`), and when a lowering is wrong.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executable, Executor } from '../executors/executor.js';
import { Graph } from '../graph/graph.js';
import { allOperations } from './fixtures/all-operations.js';
import {
  computeValue,
  derivatives,
  errorsOfDerivative,
  inputsOf,
  lossAndSlopes,
  reference,
  values,
} from './fixtures/operation-cases.js';
import type { HostArray, Tensor } from './tensor.js';

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
        for (const threads of [1, 2] as const) {
          const errors = await errorsOfDerivative(derivative, 100 * number, (outputs) => compile(threads, outputs));
          for (const [output, error] of errors) expect(error, `case ${number}, ${output}`).toBeLessThan(1e-6);
        }
      }
    });
  }
});

describe('values of ONNX Runtime and of the reference', () => {
  for (const [name, cases] of Object.entries(values)) {
    it(name, async () => {
      for (const one of cases) {
        for (const got of await computeValue(one, executors[0]!, (outputs) => compile(1, outputs))) {
          expect(got.length).toBe(one.expected.length);
          for (const [index, x] of Array.from(got).entries()) expect(x).toBeCloseTo(one.expected[index]!, 6);
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
