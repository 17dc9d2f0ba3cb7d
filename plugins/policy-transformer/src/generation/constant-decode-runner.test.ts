import { testHost } from '@agentgym/cli/testing';
import { expect, it, vi } from 'vitest';

import { ReferenceExecutor } from '../executors/fixtures/reference-executor.js';
import { stateOf } from '../executors/fixtures/state-of.js';
import { neededNodes } from '../graph/needed-nodes.js';
import { gather } from '../operations/indexing.js';
import { state } from '../operations/leaves.js';
import { matmul } from '../operations/matmul.js';
import type { Node } from '../operations/tensor.js';
import { EMBEDDING, headName } from '../model/parameters.js';
import { ConstantDecodeRunner } from './constant-decode-runner.js';
import { randomParameters, small } from './fixtures/small-models.js';
import { KeyValueCache } from './key-value-cache.js';
import { GraphGenerator } from './graph-generator.js';

const plain = { temperature: 1, topP: 1, topK: 0 };

// Goes red when the weights themselves are the constants: the embedding then exists twice, as it is and packed.
it('has the head as a constant, and looks tokens up in the weights', async () => {
  expect(headName(small)).toBe(EMBEDDING);
  const executor = new ReferenceExecutor();
  const compile = vi.spyOn(executor, 'compile');
  const runner = new ConstantDecodeRunner(executor, small, undefined, 'float32');
  const limits = { cacheBytes: 1e9, tokensPerRun: 64, rowsPerRun: 4, scoresPerRun: 1e6 };
  const generator = new GraphGenerator(small, runner, new KeyValueCache(small, executor), limits);
  const { random } = testHost(1);
  const parameters = randomParameters(small, () => random.uniform());
  await generator.useWeights({ trainable: stateOf(executor, parameters) });
  const draws = Float64Array.of(0.5);
  await generator.generate([{ tokens: [1, 2], sequence: 'a', endIds: [], maxTokens: 1, draws }], plain);
  const [{ outputs, fixed }] = compile.mock.calls[0]!;
  const namesOf = ({ attributes }: Node) => (attributes as { readonly names: readonly string[] }).names;
  const nodes = neededNodes(Object.values(outputs));
  const table = nodes.find(({ operation, inputs: [from] }) => operation === gather && from!.node.operation === state);
  expect(namesOf(table!.inputs[0]!.node)).toEqual([EMBEDDING]);
  expect(fixed!.has(EMBEDDING)).toBe(false);
  const multiplied = nodes.flatMap(({ operation, inputs }) =>
    operation === matmul && inputs[1]!.node.operation === state ? namesOf(inputs[1]!.node) : [],
  );
  expect(multiplied.filter((name) => name.startsWith('constant.'))).toHaveLength(7 * small.layers + 1);
  expect(multiplied.filter((name) => name.startsWith('constant.') && !fixed!.has(name))).toEqual([]);
});
