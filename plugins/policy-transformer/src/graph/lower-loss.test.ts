/**
 * Compares losses in the graph with the float64 interpreter of the core. Goes red when `lowerLoss` multiplies by the
 * mask instead of selecting.
 */
import type { Loss, LossExpression, TrainingBatch } from '@agentgym/cli';
import { emptyBatch, evaluateLoss, lossInputs as inputs, lossOperations as ops } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { Executor } from '../executors/executor.js';
import type { Tensor } from '../operations/tensor.js';
import { gradients } from './gradients.js';
import { Graph } from './graph.js';
import { lowerLoss } from './lower-loss.js';

const rows = 6;
const width = 7;
const size = rows * width;
const spare = 3;
const LIVE = ['logprob', 'entropy', 'value'] as const;

const wave = (seed: number) =>
  Float64Array.from({ length: size }, (_, i) => Math.fround(Math.sin(seed * 17 + i * 2.3)));
/** Rows 1 and 2, and 3 and 4, are one episode each. The last row has no sampled token; the others have between one and five. */
const mask = Uint8Array.from({ length: size }, (_, i) => {
  const row = Math.floor(i / width);
  return row < rows - 1 && i % width > 0 && i % width <= 1 + row ? 1 : 0;
});
const episode = Int32Array.of(0, 1, 1, 2, 2, 3);
const batch: TrainingBatch = {
  ...emptyBatch({ rows, width, temperature: 1 }),
  length: new Int32Array(rows).fill(width),
  mask,
  turn: new Int32Array(size),
  weight: wave(1),
  logprobs: wave(2).map((x) => x - 1.5),
  referenceLogprobs: wave(3).map((x) => x - 1.5),
  values: wave(4),
  rewards: wave(5),
  advantages: wave(6),
  returns: wave(7),
  episode,
  truncated: Uint8Array.of(1, 0, 0, 1, 1, 0),
};
const live = { logprob: wave(8).map((x) => x - 1.5), entropy: wave(9).map((x) => x + 1.5), value: wave(10) };

const { logprob, logprobs, advantages, value } = inputs;
const ratio = ops.exp(ops.sub(logprob, logprobs));
const negative = (of: LossExpression): LossExpression => ops.sub(ops.constant(0), of);
const clipped = ops.mul(ops.clip(ratio, 0.8, 1.28), advantages);
const explosive = ops.exp(ops.mul(ops.constant(-1e6), logprob));
const losses: { readonly [name: string]: Loss } = {
  ppo: {
    terms: { policy: negative(ops.min(ops.mul(ratio, advantages), clipped)), entropy: negative(inputs.entropy) },
    metrics: { clipped: ops.greater(ops.mul(ratio, advantages), clipped), one: ops.constant(1) },
  },
  value: { terms: { value: ops.max(ops.mul(ops.sub(value, inputs.returns), ops.sub(value, inputs.values)), value) } },
  gspo: { terms: { policy: ops.mul(ops.exp(ops.sequenceMean(ops.sub(logprob, logprobs))), advantages) } },
  dpo: {
    terms: {
      pairs: negative(ops.logsigmoid(ops.pairDifference(ops.sequenceSum(ops.sub(logprob, inputs.referenceLogprobs))))),
    },
  },
  cispo: { terms: { policy: ops.mul(ops.mul(ops.stopGradient(ops.clip(ratio, 0.8, 1.28)), advantages), logprob) } },
  rest: {
    terms: {
      quotient: ops.div(ops.add(value, inputs.truncated), ops.exp(inputs.entropy)),
      logarithm: ops.log(ops.add(ops.mul(value, value), ops.constant(0.5))),
      chosen: ops.where(ops.greater(value, ops.constant(0)), ops.mul(value, logprob), inputs.rewards),
    },
  },
  'a branch that is not taken': {
    terms: { chosen: ops.where(ops.greater(logprob, ops.constant(1)), explosive, logprob) },
  },
  'infinite where nothing is sampled': {
    terms: { inverse: ops.div(advantages, logprob), log: ops.log(inputs.entropy) },
  },
};

/** The sampled tokens, then spare slots. */
const sampled = [...mask.keys()].filter((index) => mask[index] === 1);
const toSlots = (array: ArrayLike<number>): Float32Array =>
  Float32Array.from({ length: sampled.length + spare }, (_, slot) => array[sampled[slot] ?? -1] ?? 0);

let executor: Executor;
beforeAll(async () => {
  executor = await createExecutor({ threads: 2, log: () => undefined });
});

async function evaluateInGraph(loss: Loss, spareLive: number) {
  const graph = new Graph();
  const slots = [sampled.length + spare];
  const lowered = lowerLoss(graph, loss, {
    episodes: new Set(episode).size,
    mask: graph.input('mask', slots, 'bool'),
    weight: graph.input('weight', slots),
    episode: () => graph.input('episode', slots, 'int32'),
    live: (name) => graph.input(name, slots),
    batch: (name) => graph.input(`batch ${name}`, slots),
  });
  const slopes = gradients(
    graph,
    lowered.total,
    LIVE.map((name) => graph.input(name, slots)),
  );
  const outputs: { [name: string]: Tensor } = {};
  for (const [name, tensor] of lowered.terms) outputs[`term ${name}`] = tensor;
  for (const [name, tensor] of lowered.metrics) outputs[`metric ${name}`] = tensor;
  for (const [index, name] of LIVE.entries()) outputs[name] = slopes[index]!;
  const executable = await executor.compile({ outputs });
  const truncated = Array.from(mask, (_, index) => batch.truncated[Math.floor(index / width)]!);
  const names = ['logprobs', 'referenceLogprobs', 'values', 'rewards', 'advantages', 'returns'] as const;
  const got = await executable.run({
    mask: Uint8Array.from({ length: slots[0]! }, (_, slot) => Number(slot < sampled.length)),
    weight: toSlots(batch.weight),
    episode: Int32Array.from({ length: slots[0]! }, (_, slot) => episode[Math.floor((sampled[slot] ?? 0) / width)]!),
    ...Object.fromEntries(names.map((name) => [`batch ${name}`, toSlots(batch[name]!)])),
    'batch truncated': toSlots(truncated),
    ...Object.fromEntries(LIVE.map((name) => [name, toSlots(live[name]).fill(spareLive, sampled.length)])),
  });
  await executable.dispose();
  return got;
}

function close(ours: number, theirs: number, what: string): void {
  expect(Math.abs(ours - theirs), `${what}: ${ours}, not ${theirs}`).toBeLessThan(2e-5 * Math.max(1, Math.abs(theirs)));
}

describe('a loss in the graph', () => {
  it.each(Object.keys(losses))('agrees with the interpreter: %s', async (name) => {
    const loss = losses[name]!;
    const expected = evaluateLoss(batch, live, loss);
    const got = await evaluateInGraph(loss, 0);
    for (const [term, sum] of Object.entries(expected.terms)) close(got[`term ${term}`]![0]!, sum, term);
    for (const [metric, sum] of Object.entries(expected.metrics)) close(got[`metric ${metric}`]![0]!, sum, metric);
    for (const by of LIVE) {
      for (const [slot, index] of sampled.entries())
        close(got[by]![slot]!, expected.gradients[by][index]!, `${by} ${slot}`);
      expect([...got[by]!.slice(sampled.length)].every((x) => x === 0)).toBe(true);
    }
  });

  it.each([NaN, Infinity, -1e30])('sees nothing of spare slots that hold %f', async (junk) => {
    for (const loss of Object.values(losses)) {
      expect(await evaluateInGraph(loss, junk)).toEqual(await evaluateInGraph(loss, 0));
    }
  });
});
