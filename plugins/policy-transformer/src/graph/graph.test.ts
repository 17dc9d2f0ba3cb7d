import { describe, expect, it } from 'vitest';

import { lowerProgram } from '../lowering/onnx/lower-program.js';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';

describe('a graph', () => {
  it('computes equal expressions once', () => {
    const graph = new Graph();
    const x = graph.input('x', [2, 3]);
    expect(graph.mul(graph.exp(x), 2)).toBe(graph.mul(graph.exp(graph.input('x', [2, 3])), graph.constant(2)));
    expect(graph.sum(x, { axes: [-1] })).toBe(graph.sum(x, { axes: [1] }));
    expect(graph.constant(Float32Array.of(1, -0), [2])).not.toBe(graph.constant(Float32Array.of(1, 0), [2]));
    expect(graph.constant(Int32Array.of(1), [1])).not.toBe(graph.constant(Uint8Array.of(1), [1]));
  });

  it('leaves out what changes nothing', () => {
    const graph = new Graph();
    const x = graph.input('x', [2, 3]);
    for (const same of [
      graph.add(x, 0),
      graph.mul(1, x),
      graph.reshape(graph.reshape(x, [6]), [2, -1]),
      graph.neg(graph.neg(x)),
    ]) {
      expect(same).toBe(x);
    }
  });

  it('names both shapes where they do not fit', () => {
    const graph = new Graph();
    const x = graph.input('x', [2, 3]);
    expect(() => graph.add(x, graph.input('y', [2]))).toThrow('shapes [2, 3] and [2] do not broadcast');
    expect(() => graph.matmul(x, x)).toThrow('matmul of float32[2, 3] and float32[2, 3]');
    expect(() => graph.gather(x, x)).toThrow('gather of float32[2, 3], float32[2, 3]');
    expect(() => graph.input('x', [2, 3], 'int32')).toThrow('input x is both float32[2, 3] and int32[2, 3]');
    expect(() => graph.slice(x, 1, 0, 4)).toThrow('float32[2, 3] has no range 0 to 4 on axis 1');
    expect(() => graph.add(x, graph.input('ids', [3], 'int32'))).toThrow('differ in type');
    expect(() => gradients(graph, x, [x])).toThrow('the gradient of float32[2, 3] is not defined');
  });

  it('is lowered without what no output needs', () => {
    const graph = new Graph();
    const x = graph.input('x', [2, 3]);
    const unread = graph.exp(graph.input('unread', [2, 3]));
    const loss = graph.sum(graph.mul(x, x));
    const [slope, none] = gradients(graph, loss, [x, unread]);
    const { inputs, model } = lowerProgram({ slope: slope!, none: none! });
    expect([...inputs.keys()]).toEqual(['x']);
    expect(Buffer.from(model).includes('Exp\0')).toBe(false);
    expect(Buffer.from(model).includes('ReduceSum')).toBe(false);
  });
});
