import { describe, expect, it } from 'vitest';

import { Graph } from '../graph/graph.js';
import { VECTOR_CHUNK } from '../lowering/vectors/vector-module.js';
import type { Tensor } from '../operations/tensor.js';
import type { Program } from './executor.js';
import { ReferenceExecutor } from './fixtures/reference-executor.js';
import { stateOf } from './fixtures/state-of.js';
import { VectorExecutable } from './vector-executable.js';

const LENGTH = 100_003;
const openSizes = { length: LENGTH };

/** Every operation of vectors, with constants, scalars, sums, and state that others read while it changes. */
function everything(): Program {
  const graph = new Graph();
  const [a, b] = [graph.state('a', [LENGTH]), graph.state('b', [LENGTH])];
  const [s, t] = [graph.input('s', []), graph.input('t', [])];
  const steady = graph.add(graph.mul(s, t), 0.25);
  const size = graph.sqrt(graph.add(graph.mul(a, a), graph.max(steady, 1e-3)));
  const quotient = graph.div(graph.sub(b, graph.neg(a)), size);
  const clipped = graph.min(graph.max(quotient, -0.5), s);
  return {
    outputs: { sum: graph.sum(graph.add(clipped, 3)), square: graph.sum(graph.mul(b, b)) },
    assign: { a: b, b: graph.mul(clipped, graph.sub(1, steady)) },
    openSizes,
  };
}

describe('a program on vectors', () => {
  // Goes red when an opcode is wrong, when what stands behind the last number counts, or when a chunk is left out.
  it.each([1, 3, 4, 5, VECTOR_CHUNK - 1, VECTOR_CHUNK, 2 * VECTOR_CHUNK + 6])(
    'computes %i numbers as the reference does',
    async (length) => {
      const { outputs, assign, ...others } = everything();
      const ours = VectorExecutable.of({ outputs, assign: assign!, add: {}, append: {} }, others.openSizes!)!;
      expect([...ours.inputs.keys()].sort()).toEqual(['s', 't']);
      expect([...ours.outputs.keys()]).toEqual(['sum', 'square']);
      const reference = new ReferenceExecutor();
      const theirs = await reference.compile(everything());
      const arrays = () =>
        new Map(
          ['a', 'b'].map(
            (name, seed) => [name, Float32Array.from({ length }, (_, i) => Math.sin(3 * i + seed))] as const,
          ),
        );
      const states = [stateOf(reference, arrays()), stateOf(reference, arrays())];
      const inputs = { s: Float32Array.of(0.4), t: Float32Array.of(-0.7) };
      for (let round = 0; round < 2; round += 1) {
        const [got, expected] = [
          await ours.run(inputs, { sizes: { length }, state: [states[0]!] }),
          await theirs.run(inputs, { sizes: { length }, state: [states[1]!] }),
        ];
        for (const name of ['sum', 'square']) {
          expect(Math.abs(got[name]![0]! - expected[name]![0]!) / Math.abs(expected[name]![0]!)).toBeLessThan(3e-6);
        }
        const [now, right] = [await states[0]!.readAll(), await states[1]!.readAll()];
        now.forEach((x, index) => expect(Math.abs(x - right[index]!)).toBeLessThan(1e-6));
      }
    },
  );

  it('names what is missing or does not fit', async () => {
    const { outputs, assign } = everything();
    const executable = VectorExecutable.of({ outputs, assign: assign!, add: {}, append: {} }, openSizes)!;
    const state = [stateOf(new ReferenceExecutor(), new Map([['a', new Float32Array(8)]]))];
    const inputs = { s: Float32Array.of(1), t: Float32Array.of(1) };
    await expect(executable.run({ s: inputs.s }, { sizes: { length: 8 }, state })).rejects.toThrow(
      'input t is missing',
    );
    await expect(executable.run(inputs, { state })).rejects.toThrow('the run does not give the size length');
    await expect(executable.run(inputs, { sizes: { length: 8 }, state })).rejects.toThrow('state b is missing');
    await expect(executable.run(inputs, { sizes: { length: 7 }, state })).rejects.toThrow(
      'state a must be float32[7], not a Float32Array of 8',
    );
  });

  it('is no program with a matrix, another operation, or a result that is not a sum', () => {
    const graph = new Graph();
    const [vector, matrix] = [graph.state('v', [LENGTH]), graph.state('m', [LENGTH, 2])];
    const of = (outputs: { readonly [name: string]: Tensor }, assign = {}) =>
      VectorExecutable.of({ outputs, assign, add: {}, append: {} }, openSizes);
    expect(of({ sum: graph.sum(vector) })).toBeDefined();
    expect(of({ sum: graph.sum(matrix) })).toBeUndefined();
    expect(of({ sum: graph.sum(graph.exp(vector)) })).toBeUndefined();
    expect(of({ whole: vector })).toBeUndefined();
    expect(of({}, { unread: graph.mul(vector, 2) })).toBeUndefined();
  });
});
