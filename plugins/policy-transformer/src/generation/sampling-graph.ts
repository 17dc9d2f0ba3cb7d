import type { Sampling } from '@agentgym/cli';

import { MASKED } from '../model/causal-mask.js';
import type { GraphBuilder } from '../operations/graph-builder.js';
import type { Tensor } from '../operations/tensor.js';

/**
 * How a decode graph chooses: by a draw, the largest, or by a draw among the likeliest, of which it ranks as many as some row
 * may want (`topK` 0: all).
 */
export type Choice = 'draw' | 'largest' | { readonly topK: number };

/** Each number of ranked tokens is a program, so there are few. */
const RANKED = [64, 1024].map((topK) => ({ topK }));
const ALL_RANKED = { topK: 0 };

/** How these settings choose among `vocabulary` tokens: equal choices are the same object. */
export function choiceOf({ temperature, topP, topK }: Sampling, vocabulary: number): Choice {
  if (temperature === 0) return 'largest';
  if (topP >= 1 && topK === 0) return 'draw';
  if (topK === 0) return ALL_RANKED;
  return RANKED.find((ranked) => topK <= ranked.topK && ranked.topK < vocabulary) ?? ALL_RANKED;
}

/**
 * Above this many entries, a running sum in float32 has two levels, because one level would lose the smallest
 * probabilities.
 */
const ONE_LEVEL = 8192;
const BLOCK = 512;

export interface Chosen {
  /** int32 [rows] */
  readonly token: Tensor;
  /**
   * [rows] log-softmax(logits / temperature) of the token over the whole vocabulary. The choice `largest` uses no
   * temperature.
   */
  readonly logprob: Tensor;
}

/**
 * Chooses a token of logits [rows, vocabulary] inside the graph. It declares the inputs `inverseTemperature` [rows, 1],
 * `draws` [rows, 1] in (0, 1], and for ranked tokens `topP` and `topK` [rows, 1]. Inverse CDF: it takes the first token
 * whose cumulative probability reaches the draw times the last cumulative value (which rounding keeps from being 1).
 */
export function chooseToken(graph: GraphBuilder, logits: Tensor, choice: Choice): Chosen {
  const [rows, vocabulary] = logits.shape as [number, number];
  const scaled = choice === 'largest' ? logits : graph.mul(logits, graph.input('inverseTemperature', [rows, 1]));
  const logprobs = graph.logSoftmax(scaled);
  const token = graph.reshape(choose(), [rows, 1]);
  return {
    token: graph.reshape(token, [rows]),
    logprob: graph.reshape(graph.gatherElements(logprobs, token), [rows]),
  };

  function choose(): Tensor {
    if (choice === 'largest') return graph.argMax(logits);
    const draws = graph.input('draws', [rows, 1]);
    if (choice !== 'draw') return chooseRanked(graph, scaled, draws, choice.topK === 0 ? vocabulary : choice.topK);
    return firstAtLeast(graph, graph.exp(logprobs), draws);
  }
}

/** int32 [rows, 1] index at which the running sum of `weights` [rows, n] first reaches `draws` times the total. */
function firstAtLeast(graph: GraphBuilder, weights: Tensor, draws: Tensor): Tensor {
  if (weights.shape[1]! > ONE_LEVEL) return firstInTwoLevels(graph, weights, draws);
  const cumulative = graph.cumulativeSum(weights, 1);
  const whole = graph.slice(cumulative, 1, -1, weights.shape[1]!);
  return countBelow(graph, cumulative, graph.mul(draws, whole));
}

/**
 * int32 [rows, 1]: how many of `cumulative` [rows, n] are below `threshold` [rows, 1]. At most n - 1, even if rounding
 * gives n.
 */
function countBelow(graph: GraphBuilder, cumulative: Tensor, threshold: Tensor): Tensor {
  const below = graph.cast(graph.less(cumulative, threshold), 'float32');
  const count = graph.sum(below, { axes: [1], keep: true });
  return graph.cast(graph.min(count, cumulative.shape[1]! - 1), 'int32');
}

/** Weights [rows, n] in blocks of 512, the last one padded: the blocks [rows, blocks, 512] and their sums [rows, blocks]. */
function inBlocks(graph: GraphBuilder, weights: Tensor): { readonly table: Tensor; readonly sums: Tensor } {
  const [rows, count] = weights.shape as [number, number];
  const blocks = Math.ceil(count / BLOCK);
  const table = graph.reshape(graph.pad(weights, 1, 0, blocks * BLOCK - count), [rows, blocks, BLOCK]);
  return { table, sums: graph.reshape(graph.sum(table, { axes: [2] }), [rows, blocks]) };
}

/** Finds the block first, then the place within it. */
function firstInTwoLevels(graph: GraphBuilder, weights: Tensor, draws: Tensor): Tensor {
  const { table, sums } = inBlocks(graph, weights);
  const [rows, blocks] = sums.shape as [number, number];
  const cumulative = graph.cumulativeSum(sums, 1);
  const threshold = graph.mul(draws, graph.slice(cumulative, 1, -1, blocks));
  const block = countBelow(graph, cumulative, threshold);
  const before = graph.sub(graph.gatherElements(cumulative, block), graph.gatherElements(sums, block));
  const first = graph.mul(block, BLOCK);
  const places = graph.add(first, graph.range(0, BLOCK));
  const entries = graph.gatherElements(graph.reshape(table, [rows, blocks * BLOCK]), places);
  const within = graph.cumulativeSum(entries, 1);
  const last = graph.slice(within, 1, -1, BLOCK);
  const inside = countBelow(graph, within, graph.min(graph.sub(threshold, before), last));
  return graph.add(first, inside);
}

/** Running sums of `weights` [rows, n]: `before` [rows, n], each without the weight itself, and the `whole` [rows, 1]. */
function runningSums(graph: GraphBuilder, weights: Tensor): { readonly before: Tensor; readonly whole: Tensor } {
  const [rows, count] = weights.shape as [number, number];
  if (count <= ONE_LEVEL) {
    const cumulative = graph.cumulativeSum(weights, 1);
    return { before: graph.sub(cumulative, weights), whole: graph.slice(cumulative, 1, -1, count) };
  }
  const { table, sums } = inBlocks(graph, weights);
  const [, blocks] = sums.shape as [number, number];
  const cumulative = graph.cumulativeSum(sums, 1);
  const beforeBlock = graph.reshape(graph.sub(cumulative, sums), [rows, blocks, 1]);
  const within = graph.sub(graph.cumulativeSum(table, 2), table);
  const before = graph.reshape(graph.add(within, beforeBlock), [rows, blocks * BLOCK]);
  return { before: graph.slice(before, 1, 0, count), whole: graph.slice(cumulative, 1, -1, blocks) };
}

/**
 * Draws among the `topK` largest, of which there are at most k, and of these only among those after less than `topP` of the
 * mass (so at least one).
 */
function chooseRanked(graph: GraphBuilder, scaled: Tensor, draws: Tensor, k: number): Tensor {
  const rows = scaled.shape[0]!;
  const ranked = graph.topK(scaled, k);
  const inside = graph.less(graph.cast(graph.range(0, k), 'float32'), graph.input('topK', [rows, 1]));
  const probabilities = graph.softmax(graph.where(inside, ranked.values, MASKED));
  // A softmax over 100,000 numbers may be 4e-6 from a sum of 1, by the width of the processor's vectors.
  const { before, whole } = runningSums(graph, probabilities);
  const enough = graph.mul(graph.input('topP', [rows, 1]), whole);
  const first = graph.constant(
    Uint8Array.from({ length: k }, (_, index) => (index === 0 ? 1 : 0)),
    [1, k],
  );
  const kept = graph.or(graph.less(before, enough), first);
  const place = firstAtLeast(graph, graph.where(kept, probabilities, 0), draws);
  return graph.gatherElements(ranked.indices, place);
}
