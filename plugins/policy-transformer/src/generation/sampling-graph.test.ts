import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import { Graph } from '../graph/graph.js';
import { slowLogprobs } from './fixtures/slow-decoder.js';
import { chooseToken, type Choice } from './sampling-graph.js';

const executor = await createExecutor({ threads: 1, log: () => undefined });

async function choose(
  logits: readonly number[][],
  draws: readonly number[],
  choice: Choice,
  temperature = 1,
  topP = 1,
  /** Of each row. */
  topK = logits.map(() => logits[0]!.length),
) {
  const graph = new Graph();
  const shape = [logits.length, logits[0]!.length];
  const { token, logprob } = chooseToken(graph, graph.input('logits', shape), choice);
  const executable = await executor.compile({ outputs: { token, logprob } });
  const results = await executable.run({
    logits: Float32Array.from(logits.flat()),
    draws: Float32Array.from(draws),
    inverseTemperature: Float32Array.from(logits, () => 1 / temperature),
    topP: Float32Array.from(logits, () => topP),
    topK: Float32Array.from(topK),
  });
  await executable.dispose();
  return { tokens: [...results['token']!], logprobs: [...results['logprob']!] };
}

function noise(rows: number, vocabulary: number): number[][] {
  const { random } = testHost(11);
  return Array.from({ length: rows }, () => Array.from({ length: vocabulary }, () => Math.fround(2 * random.normal())));
}

/** The interval of the token in the cumulative distribution, with the tokens in this order. */
function share(weights: readonly number[], order: readonly number[], token: number): [number, number] {
  const whole = order.reduce((sum, id) => sum + weights[id]!, 0);
  const before = order.slice(0, order.indexOf(token)).reduce((sum, id) => sum + weights[id]!, 0);
  return [before / whole, (before + weights[token]!) / whole];
}

describe('chooseToken', () => {
  // The last vocabulary needs two levels and does not fill its last block.
  it.each([50, 8192, 9001])('inverts the cumulative distribution of %i tokens', async (vocabulary) => {
    const draws = [1e-7, 0.1, 0.37, 0.5, 0.63, 0.9, 0.999999, 1];
    const logits = noise(draws.length, vocabulary);
    const { tokens, logprobs } = await choose(logits, draws, 'draw', 0.8);
    tokens.forEach((token, row) => {
      const reference = slowLogprobs(logits[row]!, 0.8);
      expect(logprobs[row]).toBeCloseTo(reference[token]!, 4);
      const order = [...reference.keys()];
      const [low, high] = share(reference.map(Math.exp), order, token);
      expect(draws[row]).toBeGreaterThan(low - 1e-5);
      expect(draws[row]).toBeLessThan(high + 1e-5);
    });
  });

  // The vocabulary of Qwen2.5, with probabilities of about 6.6e-6 each: the token is another one only if the draw is close
  // to a bound. Ranked draws go red by 3e-4 if their running sums have one level.
  it.each<{ choice: Choice; topP: number }>([
    { choice: 'draw', topP: 1 },
    { choice: { topK: 0 }, topP: 0.95 },
  ])('draws what float64 draws from 151,936 tokens: %o', async ({ choice, topP }) => {
    const vocabulary = 151_936;
    const draws = [0.137, 0.863, 0.99];
    const logits = noise(draws.length, vocabulary).map((row) => row.map((logit) => Math.fround(logit / 200)));
    const { tokens, logprobs } = await choose(logits, draws, choice, 1, topP);
    for (const [row, token] of tokens.entries()) {
      const own = Float64Array.from(logits[row]!);
      const largest = own.reduce((most, logit) => Math.max(most, logit), -Infinity);
      const weights = own.map((logit) => Math.exp(logit - largest));
      const whole = weights.reduce((sum, weight) => sum + weight, 0);
      expect(logprobs[row]).toBeCloseTo(Math.log(weights[token]! / whole), 4);
      const ids = Uint32Array.from(own.keys());
      const order = choice === 'draw' ? ids : ids.sort((a, b) => own[b]! - own[a]! || a - b);
      let [kept, count] = [0, 0];
      while (count < vocabulary && kept < topP * whole) kept += weights[order[count++]!]!;
      let high = 0;
      for (const id of order.subarray(0, count)) {
        high += weights[id]! / kept;
        if (id === token) break;
      }
      expect(draws[row]).toBeLessThan(high + 1e-6);
      expect(draws[row]).toBeGreaterThan(high - weights[token]! / kept - 1e-6);
    }
  });

  it('never draws what has no probability', async () => {
    const logits = [0.2, 0.5, 1].map(() =>
      Array.from({ length: 9000 }, (_, id) => (id === 600 || id === 700 ? 0 : -1e4)),
    );
    expect((await choose(logits, [0.2, 0.5, 1], 'draw')).tokens).toEqual([600, 600, 700]);
  });

  it('takes the largest, the lowest id where two are equal, at temperature 1', async () => {
    const logits = [
      [0, 3, 1, 3],
      [5, 5, 5, 5],
    ];
    const { tokens, logprobs } = await choose(logits, [], 'largest');
    expect(tokens).toEqual([1, 0]);
    expect(logprobs[1]).toBeCloseTo(Math.log(1 / 4), 6);
  });

  it.each([
    { topK: 5, topP: 1 },
    { topK: 0, topP: 0.6 },
    { topK: 7, topP: 0.5 },
    { topK: 0, topP: 1e-9 },
  ])('keeps the likeliest: %o', async ({ topK, topP }) => {
    const draws = [0.01, 0.3, 0.6, 0.95, 1];
    const logits = noise(draws.length, 40);
    // The program ranks more than the rows want, and the other rows want others.
    const wanted = draws.map((_, row) => (row < 4 ? topK || 40 : 1));
    const { tokens, logprobs } = await choose(logits, draws, { topK: topK && 30 }, 1.3, topP, wanted);
    expect(tokens.pop()).toBe(logits[4]!.indexOf(Math.max(...logits[4]!)));
    tokens.forEach((token, row) => {
      const reference = slowLogprobs(logits[row]!, 1.3);
      const weights = reference.map(Math.exp);
      const ranked = [...weights.keys()].sort((a, b) => weights[b]! - weights[a]!).slice(0, topK || undefined);
      const mass = ranked.reduce((sum, id) => sum + weights[id]!, 0);
      const before = (place: number) => ranked.slice(0, place).reduce((sum, id) => sum + weights[id]!, 0) / mass;
      const kept = ranked.filter((_, place) => place === 0 || before(place) < topP);
      expect(kept).toContain(token);
      const [low, high] = share(weights, kept, token);
      expect(draws[row]).toBeGreaterThan(low - 1e-5);
      expect(draws[row]).toBeLessThan(high + 1e-5);
      expect(logprobs[row]).toBeCloseTo(reference[token]!, 4);
    });
  });
});
