import type { Sampling } from '@agentgym/cli';

import { causalMask, firstSeen, MASKED, maskInput } from '../model/causal-mask.js';
import { windowOf, type DecoderConfig } from '../model/decoder-config.js';
import type { HostArray } from '../operations/tensor.js';
import type { DecodeSizes } from './decode-graph.js';
import type { Choice } from './sampling-graph.js';

/** One row of a run. */
export interface StepRow {
  /** New tokens. Only the first `count` are fed. */
  readonly tokens: readonly number[];
  readonly count: number;
  /** Number of tokens in the cache. */
  readonly length: number;
  /** In (0, 1]. */
  readonly draw: number;
  readonly sampling: Sampling;
}

/**
 * The inputs of `decodeGraph` except weights and cache. Rows that are `undefined` contain a token at position 0 that
 * attends only to itself.
 */
export function stepInputs(
  config: DecoderConfig,
  { rows, width, capacity }: DecodeSizes,
  steps: readonly (StepRow | undefined)[],
  choice: Choice,
): { [name: string]: HostArray } {
  const tokens = new Int32Array(rows * width);
  const positions = new Int32Array(rows * width);
  const cacheMask = new Float32Array(rows * capacity).fill(MASKED);
  const draws = new Float32Array(rows).fill(1);
  steps.forEach((step, row) => {
    const count = step?.count ?? 1;
    const length = step?.length ?? 0;
    const start = row * width;
    for (let j = 0; j < count; j += 1) {
      tokens[start + j] = step?.tokens[j] ?? 0;
      positions[start + j] = length + j;
    }
    cacheMask.fill(0, row * capacity, row * capacity + length);
    if (step) draws[row] = step.draw;
  });
  const hasWindow = config.attentionKinds.some(({ window }) => window !== undefined);
  const places = hasWindow && { places: Int32Array.from({ length: capacity }, (_, place) => place) };
  // A graph for a width of 1 alone does not read the inputs of several tokens.
  const inputs = { tokens, positions, cacheMask, ...places, ...severalTokens(config, steps, width) };
  if (choice === 'largest') return inputs;
  const ofEach = (number: (sampling: Sampling) => number) =>
    Float32Array.from({ length: rows }, (_, row) => (steps[row] ? number(steps[row].sampling) : 1));
  const drawn = { ...inputs, draws, inverseTemperature: ofEach(({ temperature }) => 1 / temperature) };
  if (choice === 'draw') return drawn;
  const topK = ofEach((sampling) => (sampling.topK === 0 ? config.vocabularySize : sampling.topK));
  return { ...drawn, topP: ofEach(({ topP }) => topP), topK };
}

/** Additional inputs for rows of several new tokens. */
function severalTokens(config: DecoderConfig, steps: readonly (StepRow | undefined)[], width: number) {
  const group = config.heads / config.keyValueHeads;
  const lastWindow = windowOf(config, config.layers - 1);
  const last = new Int32Array(steps.length);
  const lastPositions = new Int32Array(steps.length);
  const lastMask = new Float32Array(steps.length * width).fill(MASKED);
  steps.forEach((step, row) => {
    const count = step?.count ?? 1;
    last[row] = row * width + count - 1;
    lastPositions[row] = (step?.length ?? 0) + count - 1;
    lastMask.fill(0, row * width + firstSeen(count - 1, lastWindow), row * width + count);
  });
  const masks = config.attentionKinds.map(({ window }) => [maskInput(window), causalMask(width, group, 1, window)]);
  return { last, lastPositions, lastMask, ...(Object.fromEntries(masks) as { [name: string]: Float32Array }) };
}
