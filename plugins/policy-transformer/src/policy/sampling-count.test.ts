import type { GeneratedTokens, GenerateRequest } from '@agentgym/cli';
import { describe, expect, it } from 'vitest';

import { operationCounter } from '../model/operation-count.js';
import { presetConfig } from '../presets/presets.js';
import { SamplingCount } from './sampling-count.js';

const config = presetConfig('pico', 98, 256);
const request = (sequence: string, length: number): GenerateRequest => ({
  sequence,
  tokens: Array<number>(length).fill(7),
  endIds: [],
  maxTokens: 9,
  draws: new Float64Array(9),
});
const answer = (length: number): GeneratedTokens => ({
  tokens: Array<number>(length).fill(5),
  logprobs: Array<number>(length).fill(-1),
  ended: true,
});
const fed = (from: number, tokens: number) =>
  operationCounter(config, { valueHead: false })({ from, tokens, asked: [from + tokens - 1] });

describe('SamplingCount', () => {
  // Goes red when a known sequence is counted from its start again, or the last sampled token twice.
  it('counts every token of a sequence once', () => {
    const count = new SamplingCount(config, { valueHead: false });
    const first = count.operations(request('one', 14), answer(4));
    expect(first).toBe(fed(0, 14) + fed(14, 1) + fed(15, 1) + fed(16, 1));
    // Fourteen tokens, four sampled ones, and two of an observation.
    expect(count.operations(request('one', 20), answer(1))).toBe(fed(17, 3));
  });

  // Goes red when the same prompt of another sequence counts less, or a released name is still known.
  it('knows nothing of other sequences, nor of released ones', () => {
    const count = new SamplingCount(config, { valueHead: false });
    const alone = count.operations(request('one', 14), answer(2));
    expect(count.operations(request('two', 14), answer(2))).toBe(alone);
    count.release('one');
    expect(count.operations(request('one', 14), answer(2))).toBe(alone);
    expect(count.operations(request('two', 9), answer(1))).toBe(fed(0, 9));
  });
});
