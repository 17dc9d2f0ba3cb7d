import type { Loss, TrainingBatch } from '@agentgym/cli';

import type { DecoderConfig } from '../model/decoder-config.js';
import { roundedWidth } from '../model/pack-rows.js';
import type { Engine } from '../worker/engine.js';
import { memoryBesides, type MemorySettings } from './memory-at-caps.js';

/** Any loss: it needs little beside the model. */
const LOSS: Loss = {
  terms: { policy: { op: 'mul', left: { op: 'batch', name: 'advantages' }, right: { op: 'live', name: 'logprob' } } },
};

/** Milliseconds between two looks at the memory. */
const INTERVAL = 2;

/** See `PolicyModel.measureMemory`. All cores compute a micro-batch at the same time, as in training. */
export async function measureMemory(
  engine: Engine,
  settings: MemorySettings,
): Promise<{ readonly [part: string]: number }> {
  const all = Array.from({ length: engine.cores }, (_, core) => core);
  const activations = await peakGrowth(async () => {
    await Promise.all(all.map((core) => engine.call(core, 'rehearse', [largestMicroBatch(settings), LOSS])));
  });
  return { activations, ...memoryBesides(settings) };
}

/** Bytes by which work raises the memory of the process at its highest. */
async function peakGrowth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  const highestBefore = highestEver();
  let highest = before;
  const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), INTERVAL);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  // The system knows a new peak exactly.
  const ever = highestEver();
  return Math.max(highest, ever > highestBefore ? ever : 0) - before;
}

function highestEver(): number {
  return 1024 * process.resourceUsage().maxRSS;
}

/** One micro-batch of a core with as many sequences of full length as it may have. None begins like another. */
export function largestMicroBatch({ config, cores, load, trained, microBatchTokens }: MemorySettings): TrainingBatch {
  const fitting = Math.floor(microBatchTokens / roundedWidth(trained));
  const rows = Math.max(1, Math.min(Math.ceil(load.rows / cores.count), fitting));
  const sampled = Math.min(trained - 1, load.trainedTurns * (load.actionTokens + 1));
  return fullBatch(config, rows, trained, sampled);
}

/** @param sampled the last tokens of each row */
function fullBatch({ vocabularySize }: DecoderConfig, rows: number, width: number, sampled: number): TrainingBatch {
  const numbers = () => new Float64Array(rows * width);
  const mask = new Uint8Array(rows * width);
  for (let row = 1; row <= rows; row += 1) mask.fill(1, row * width - sampled, row * width);
  // A row begins with the digits of its number.
  const digit = (row: number, place: number) => Math.floor(row / vocabularySize ** place) % vocabularySize;
  return {
    rows,
    width,
    tokens: Int32Array.from({ length: rows * width }, (_, index) => digit(Math.floor(index / width), index % width)),
    length: new Int32Array(rows).fill(width),
    mask,
    turn: new Int32Array(rows * width),
    weight: numbers().fill(1),
    logprobs: numbers(),
    rewards: numbers(),
    advantages: numbers().fill(1),
    group: new Int32Array(rows),
    episode: Int32Array.from({ length: rows }, (_, row) => row),
    truncated: new Uint8Array(rows),
    bootstrapValue: new Float64Array(rows),
    temperature: 1,
  };
}
