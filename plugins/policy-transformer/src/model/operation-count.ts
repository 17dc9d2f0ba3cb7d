import type { TrainingBatch } from '@agentgym/cli';

import { windowOf, type DecoderConfig } from './decoder-config.js';
import { projectionSizes, type ParameterOptions, type Projection } from './parameters.js';

/** New tokens of one sequence that go through the decoder. */
interface Passage {
  /** Position of the first token. */
  readonly from: number;
  readonly tokens: number;
  /** Positions whose logits are needed. */
  readonly asked: readonly number[];
}

/** How often a pass computes products of each kind. */
interface Passes {
  /** With weights that are trained. */
  readonly trained: number;
  /** With weights beside an adapter. */
  readonly frozen: number;
  /** Attention, which has no weights. */
  readonly attention: number;
}

const FORWARD: Passes = { trained: 1, frozen: 1, attention: 1 };
/**
 * A backward pass computes two products for each of the forward pass (Kaplan et al. 2020, section 2.1: C = 6 N). For a
 * frozen matrix it computes one, the gradient of the matrix's input.
 */
const TRAINING: Passes = { trained: 3, frozen: 2, attention: 3 };

/**
 * Floating-point operations of a forward pass: matrix products and attention, following Kaplan et al. 2020 (arXiv
 * 2001.08361, section 2.1 and table 1). A multiplication with its addition counts as two. In the paper a token costs 2
 * N + 2 layers context width, with N the number of parameters without the embedding. Here attention is counted position
 * by position (4 heads headWidth for each key that a query sees, at most a layer's window; its causal mean is Kaplan's term), the head is counted
 * only for positions that need logits, and in the last layer only the asking positions have queries. As in the paper,
 * norms, softmax, rotations and gates are not counted.
 *
 * @returns a function of a passage; what depends only on the model is computed once
 */
export function operationCounter(
  config: DecoderConfig,
  { valueHead, adapter }: ParameterOptions,
  passes = FORWARD,
): (passage: Passage) => number {
  const { heads, headWidth, hiddenSize, layers, vocabularySize } = config;
  const matrix = adapter ? passes.frozen : passes.trained;
  const matrices = (...parts: readonly Projection[]): number =>
    parts.reduce((sum, part) => {
      const { inputs, outputs } = projectionSizes(config, part);
      const factors = adapter?.targets.includes(part) ? 2 * adapter.rank * (inputs + outputs) : 0;
      return sum + matrix * 2 * inputs * outputs + passes.trained * factors;
    }, 0);
  const remembered = matrices('self_attn.k_proj', 'self_attn.v_proj');
  const followed = matrices('self_attn.q_proj', 'self_attn.o_proj', 'mlp.gate_proj', 'mlp.up_proj', 'mlp.down_proj');
  const key = passes.attention * 4 * heads * headWidth;
  const head = 2 * hiddenSize * (matrix * vocabularySize + (valueHead ? passes.trained : 0));
  const windows = Array.from({ length: layers }, (_, layer) => windowOf(config, layer) ?? Number.MAX_SAFE_INTEGER);
  const lastWindow = windows.pop()!;
  const layersByWindow = new Map<number, number>();
  for (const window of windows) layersByWindow.set(window, (layersByWindow.get(window) ?? 0) + 1);
  return ({ from, tokens, asked }) => {
    let seen = 0;
    for (const [window, count] of layersByWindow) seen += count * seenKeys(from, tokens, window);
    for (const position of asked) seen += Math.min(position + 1, lastWindow);
    return (
      (layers - 1) * tokens * (remembered + followed) +
      tokens * remembered +
      asked.length * (followed + head) +
      key * seen
    );
  };
}

/** Keys that the queries of `tokens` positions see together: position + 1 each, at most the window. */
function seenKeys(from: number, tokens: number, window: number): number {
  const whole = Math.min(tokens, Math.max(0, window - from));
  return whole * from + (whole * (whole + 1)) / 2 + (tokens - whole) * window;
}

/**
 * The same for whole rows of a batch, or with a backward pass (`training`). Inputs are the tokens before the last sampled token of each row. The tokens
 * before sampled tokens need logits.
 */
export function batchOperations(
  config: DecoderConfig,
  options: ParameterOptions,
  { rows, width, mask }: TrainingBatch,
  kind: 'forward' | 'training' = 'forward',
): number {
  const operations = operationCounter(config, options, kind === 'forward' ? FORWARD : TRAINING);
  let sum = 0;
  for (let row = 0; row < rows; row += 1) {
    const asked: number[] = [];
    for (let t = 1; t < width; t += 1) if (mask[row * width + t] === 1) asked.push(t - 1);
    const tokens = (asked.at(-1) ?? -1) + 1;
    sum += operations({ from: 0, tokens, asked });
  }
  return sum;
}
