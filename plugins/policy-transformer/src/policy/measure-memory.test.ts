import { expect, it } from 'vitest';

import { layOut } from '../model/pack-rows.js';
import { presetConfig } from '../presets/presets.js';
import { cutByTokens, cutMicroBatches, trainedUnits } from '../worker/batch-rows.js';
import { largestMicroBatch } from './measure-memory.js';
import type { MemorySettings } from './memory-at-caps.js';

const config = presetConfig('pico', 50, 2048);
const load: MemorySettings['load'] = {
  ...{ sequences: 8, turns: 5, trainedTurns: 5, actionTokens: 4, rows: 128 },
  ...{ evaluates: false, references: 0, samplings: [], optimizers: [] },
};
const settings: MemorySettings = {
  ...{ config, parts: { valueHead: false }, isWasm: false, load },
  samplingWeights: 'float32',
  cores: { count: 2, layered: false, returnsMemory: false },
  ...{ microBatchTokens: 2048, activationBytes: 1e9, cacheBytes: 1e9, played: 100, trained: 100 },
};

// Goes red when a sequence more would fit, or when sequences begin alike, so that they take less.
it.each([
  [100, 128],
  [255, 128],
  [700, 128],
  [3000, 128],
  [100, 4],
])('makes one full micro-batch of sequences of %i tokens from batches of %i', (trained, rows) => {
  const batch = largestMicroBatch({ ...settings, trained, load: { ...load, rows } });
  const units = trainedUnits(batch, 'row');
  expect(cutMicroBatches(batch, units, config, 2048)).toHaveLength(1);
  expect(cutByTokens(batch, units, 2048)).toHaveLength(1);
  expect(batch.width).toBe(trained);
  expect(batch.rows).toBeLessThanOrEqual(rows / settings.cores.count);
  const sequences = Array.from({ length: batch.rows + 1 }, (_, row) => {
    const first = batch.tokens.subarray(row * trained, (row + 1) * trained);
    return first.length > 0 ? first : batch.tokens.subarray(0, trained).map((token) => (token + 1) % 50);
  });
  const { rows: taken, width } = layOut(sequences.slice(0, -1), config);
  expect(taken).toBe(batch.rows);
  if (batch.rows < rows / 2) {
    const more = layOut(sequences, config);
    expect(more.rows * more.width).toBeGreaterThan(2048);
  }
  expect(width).toBeGreaterThanOrEqual(trained);
  const sampled = batch.mask.reduce((sum, sample) => sum + sample, 0);
  expect(sampled).toBe(batch.rows * 25);
});
