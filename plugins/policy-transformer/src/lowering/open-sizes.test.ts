import { describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import { Graph } from '../graph/graph.js';
import { OpenSizes } from './open-sizes.js';

const standIns = { rows: 100_003, width: 100_019 };

describe('open sizes', () => {
  it('reads numbers, products and sums', () => {
    const sizes = new OpenSizes(standIns);
    expect(sizes.read(64)).toBeUndefined();
    expect(sizes.declare([3, standIns.rows, 2 * standIns.rows * standIns.width])).toEqual([3, 'rows', '2*rows*width']);
    expect(sizes.resolve([standIns.rows + standIns.width, standIns.width], { rows: 5, width: 7 })).toEqual([12, 7]);
    expect(() => sizes.resolve([standIns.width], { rows: 5 })).toThrow('width');
  });

  it('one session gives for each size what a program of that size gives', async () => {
    const executor = await createExecutor({ threads: 1, log: () => undefined });
    const build = ({ rows, width }: typeof standIns) => {
      const graph = new Graph();
      const x = graph.input('x', [rows, width, 4]);
      const mask = graph.input('mask', [rows, 3]);
      const joined = graph.concat(
        [
          graph.reshape(graph.transpose(x, [0, 2, 1]), [rows * 4, width]),
          graph.expand(graph.constant(2), [rows * 4, rows]),
        ],
        1,
      );
      const part = graph.slice(joined, 1, width, width + rows);
      return { flat: graph.reshape(graph.softmax(x), [rows * width, 4]), part, other: graph.exp(mask), joined };
    };
    const open = await executor.compile({ outputs: build(standIns), openSizes: standIns });
    for (const sizes of [
      { rows: 2, width: 5 },
      { rows: 3, width: 1 },
    ]) {
      const inputs = {
        x: Float32Array.from({ length: sizes.rows * sizes.width * 4 }, (_, index) => Math.sin(index)),
        mask: Float32Array.from({ length: sizes.rows * 3 }, (_, index) => index / 7),
      };
      const fixed = await executor.compile({ outputs: build(sizes) });
      expect(await open.run(inputs, { sizes })).toEqual(await fixed.run(inputs));
    }
    await expect(
      open.run({ x: new Float32Array(8), mask: new Float32Array(6) }, { sizes: { rows: 2, width: 5 } }),
    ).rejects.toThrow('input x');
  });
});
