// Compares the count with the executed graph: all its matrix products, and all pairs of a query and a key that its
// masks allow.
import type { TrainingBatch } from '@agentgym/cli';
import { emptyBatch } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { grouped, small, windowed } from '../generation/fixtures/small-models.js';
import type { MatmulAttributes } from '../operations/matmul.js';
import { elementCount } from '../operations/shapes.js';
import type { Node, Tensor } from '../operations/tensor.js';
import { maskInput } from './causal-mask.js';
import { windowOf, type DecoderConfig } from './decoder-config.js';
import { batchOperations, operationCounter } from './operation-count.js';
import { packRows } from './pack-rows.js';
import { parameterShapes, type Adapter } from './parameters.js';
import { evaluationGraph } from './training-graph.js';

const rows = 2;
const width = 17;
/** Sizes that need no rounding up: 16 tokens before the last sampled one, 8 sampled tokens per row. */
const mask = Uint8Array.from({ length: rows * width }, (_, index) =>
  Number([3, 4, 5, 6, 11, 12, 13, 16].includes(index % width)),
);
const batch: TrainingBatch = {
  ...emptyBatch({ rows, width, temperature: 1 }),
  // The second row begins differently, so no position is computed for both.
  tokens: new Int32Array(rows * width).fill(2).fill(3, width),
  length: Int32Array.of(width, width),
  mask,
  turn: new Int32Array(rows * width),
};

function nodesOf(outputs: readonly Tensor[]): Set<Node> {
  const nodes = new Set<Node>();
  const open = [...outputs];
  for (let tensor = open.pop(); tensor; tensor = open.pop()) {
    if (nodes.has(tensor.node)) continue;
    nodes.add(tensor.node);
    open.push(...tensor.node.inputs);
  }
  return nodes;
}

const unmasked = (bias: ArrayLike<number>): number => Array.from(bias).filter((value) => value === 0).length;

describe.each<[string, DecoderConfig, boolean]>([
  ['equal heads, a tied head', small, false],
  ['grouped heads, a head of its own, a value head', grouped, true],
  ['sliding windows', windowed, false],
])('%s', (_, config, valueHead) => {
  // Goes red when a matrix, the head, the value head or the short last layer is forgotten, or attention is counted in
  // full.
  it('counts what the graph computes, padding and masked pairs left out', () => {
    const group = config.heads / config.keyValueHeads;
    const { sizes, inputs } = packRows(batch, [0, 1], config);
    expect(sizes).toEqual({
      episodes: 2,
      rows: 2,
      width: 16,
      slots: 16,
      asks: 8,
      blocks: 1,
      points: 16,
      shared: false,
    });
    let products = 0;
    for (const { operation, inputs: operands, outputs, attributes } of nodesOf(
      Object.values(evaluationGraph(config, sizes, { valueHead })),
    )) {
      if (operation.name !== 'matmul') continue;
      const inner = operands[0]!.shape.at((attributes as MatmulAttributes).transposeLeft ? -2 : -1)!;
      products += 2 * inner * elementCount(outputs[0]!.shape);
    }
    const seenByLayer = (layer: number) => unmasked(inputs[maskInput(windowOf(config, layer))] as Float32Array) / group;
    const before = Array.from({ length: config.layers - 1 }, (__, layer) => seenByLayer(layer));
    const seen =
      config.heads * before.reduce((sum, pairs) => sum + pairs, 0) +
      config.keyValueHeads * unmasked(inputs['askedBias'] as Float32Array);
    // The product of a query and a key, and the product of its attention weight and a value.
    const attention = seen * 2 * (2 * config.headWidth);
    expect(batchOperations(config, { valueHead }, batch)).toBe(products + attention);
  });

  it("is 2 N a token and Kaplan's attention, where every position asks", () => {
    const tokens = 500;
    const asked = Array.from({ length: tokens }, (__, position) => position);
    const counted = operationCounter(config, { valueHead: false })({ from: 0, tokens, asked });
    const shapes = [...parameterShapes(config, { valueHead: false })];
    const matrices = shapes.filter(([name, shape]) => shape.length === 2 && !/embed|lm_head/.test(name));
    const n =
      matrices.reduce((sum, [, shape]) => sum + elementCount(shape), 0) + config.vocabularySize * config.hiddenSize;
    const width = config.heads * config.headWidth;
    const keys = (layer: number) => 2 * Math.min(tokens / 2, windowOf(config, layer) ?? Infinity);
    const allKeys = Array.from({ length: config.layers }, (__, layer) => keys(layer)).reduce((a, b) => a + b);
    const kaplan = tokens * (2 * n + 2 * allKeys * width);
    expect(Math.abs(counted / kaplan - 1)).toBeLessThan(0.002);
  });

  // Goes red when a frozen matrix is counted as one that is trained, or factors are forgotten.
  it('is 6 N a token in training, and 4 N with an adapter and 6 for its factors', () => {
    const count = (kind: 'forward' | 'training', adapter?: Adapter) =>
      batchOperations(config, { valueHead, adapter }, batch, kind);
    expect(count('training')).toBe(3 * count('forward'));
    const of = (rank: number): Adapter => ({ rank, scale: 1, targets: ['mlp.up_proj'] });
    const forward = count('forward', of(5)) - count('forward');
    const training = count('training', of(5)) - count('training', of(0));
    expect(training).toBe(3 * forward);
    const positions = forward / (2 * 5 * (config.hiddenSize + config.intermediateSize));
    expect(Number.isInteger(positions)).toBe(true);
    // Without factors: two of three passes over matrices, all three over attention and the value head.
    const whole = count('training');
    expect(count('training', of(0)) / whole).toBeGreaterThan(2 / 3);
    expect(count('training', of(0)) / whole).toBeLessThan(0.75);
  });

  it('adds up over the pieces in which a sequence is fed', () => {
    const count = operationCounter(config, { valueHead: false });
    const whole = count({ from: 0, tokens: 30, asked: [9, 20, 29] });
    const pieces = [
      { from: 0, tokens: 10, asked: [9] },
      { from: 10, tokens: 11, asked: [20] },
      { from: 21, tokens: 9, asked: [29] },
    ];
    expect(pieces.reduce((sum, piece) => sum + count(piece), 0)).toBe(whole);
    expect(count({ from: 7, tokens: 0, asked: [] })).toBe(0);
  });
});
