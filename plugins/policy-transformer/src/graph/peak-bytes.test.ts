import { expect, it } from 'vitest';

import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { presetConfig } from '../presets/presets.js';
import { trainingGraph } from '../model/training-graph.js';
import { elementCount } from '../operations/shapes.js';
import type { Node, Shape, Tensor } from '../operations/tensor.js';
import { OpenSizes } from '../lowering/open-sizes.js';
import { peakBytes } from './peak-bytes.js';

/** For every node, adds up everything that exists while it runs. */
function slowPeak(outputs: readonly Tensor[], resolve: (shape: Shape) => Shape): number {
  const nodes = new Map<number, Node>();
  const collect = ({ node }: Tensor): void => {
    if (nodes.has(node.id)) return;
    nodes.set(node.id, node);
    node.inputs.forEach(collect);
  };
  outputs.forEach(collect);
  const order = [...nodes.values()].sort((a, b) => a.id - b.id);
  const named = (node: Node, ...names: string[]) => names.includes(node.operation.name);
  /** A tensor and everything reshaped from it. */
  const family = (tensor: Tensor): Tensor[] => [
    tensor,
    ...order
      .filter((node) => named(node, 'reshape') && node.inputs[0] === tensor)
      .flatMap((node) => node.outputs.flatMap(family)),
  ];
  const lives = order
    .filter((node) => !named(node, 'input', 'state', 'constant', 'reshape'))
    .flatMap((node) => node.outputs)
    .map((tensor) => {
      const all = family(tensor);
      const uses = order.filter((node) => !named(node, 'reshape') && node.inputs.some((input) => all.includes(input)));
      const last = outputs.some((output) => all.includes(output))
        ? Infinity
        : Math.max(tensor.node.id, ...uses.map(({ id }) => id));
      const bytes = (tensor.type === 'bool' ? 1 : 4) * elementCount(resolve(tensor.shape));
      return { first: tensor.node.id, last, bytes };
    });
  return Math.max(
    ...order.map(({ id }) =>
      lives.reduce((sum, { first, last, bytes }) => (first <= id && id <= last ? sum + bytes : sum), 0),
    ),
  );
}

it('counts tensors from their node to their last use', () => {
  const graph = new Graph();
  const x = graph.input('x', [10, 10]);
  const a = graph.exp(x);
  const b = graph.exp(a);
  const c = graph.exp(b);
  // While c is computed, b and c exist; a is freed, and x is given.
  expect(peakBytes([c])).toBe(2 * 400);
  expect(peakBytes([graph.add(c, graph.reshape(a, [10, 10]))])).toBe(3 * 400);
  expect(peakBytes([a, c])).toBe(3 * 400);
  const [slope] = gradients(graph, graph.sum(c), [x]);
  expect(peakBytes([slope!])).toBe(slowPeak([slope!], (shape) => shape));
});

it('equals a slow count on a training graph with open sizes', () => {
  const open = { rows: 100_003, block: 100_019, slots: 100_043, asks: 100_049, points: 100_057 };
  const { block, ...others } = open;
  const loss = { terms: { policy: { op: 'live', name: 'logprob' } } } as const;
  const sizes = { ...others, sequences: 3, width: 2 * block, blocks: 2, shared: true };
  const { outputs, gradients: slopes } = trainingGraph(
    presetConfig('pico', 50, 256),
    sizes,
    { valueHead: false },
    loss,
  );
  const wanted = [...Object.values(outputs), ...Object.values(slopes)];
  const sizesOfRun = { rows: 3, block: 16, slots: 24, asks: 8, points: 16 };
  const resolve = (shape: Shape) => new OpenSizes(open).resolve(shape, sizesOfRun);
  expect(peakBytes(wanted, resolve)).toBe(slowPeak(wanted, resolve));
});
