// node engine-probe.js ENGINE FOLDER THREADS SECONDS: trains a small model on an engine, and sends its parent what it found.
// In a process of its own, because a driver that does not fit may end it.
import type { TrainingBatch } from '@agentgym/cli';

import { checkExecutor } from '../executors/check-executor.js';
import { createExecutor, type EngineName } from '../executors/create-executor.js';
import { trainableShapes } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import { EngineCore } from '../worker/engine-core.js';
import type { EngineProbe } from './probe-engine.js';

const [engine, engineFolder, threads, seconds] = process.argv.slice(2) as [EngineName, string, string, string];
const ROWS = 16;
const WIDTH = 64;

try {
  const options = { engine, engineFolder, threads: Number(threads), log: () => undefined };
  const executor = await createExecutor(options);
  await checkExecutor(executor);
  await executor.dispose();
  const { version } = executor;
  await send({ version });
  if (Number(seconds) > 0) await send({ version, speed: await measure() });
} catch (error) {
  await send({ problem: error instanceof Error ? error.message : String(error) });
}
process.exit(0);

function send(answer: EngineProbe): Promise<void> {
  return new Promise((resolve) => process.send!(answer, () => resolve()));
}

/** Tokens a second in training steps of the preset `micro`. */
async function measure(): Promise<number> {
  const config = presetConfig('micro', 512, WIDTH);
  const settings = {
    ...{ engine, engineFolder, config, valueHead: false, layered: false, sessionThreads: Number(threads) },
    ...{ microBatchTokens: ROWS * WIDTH, activationBytes: 0, cacheBytes: 1e6, samplingWeights: 'float32' as const },
  };
  const core = await EngineCore.create(settings, () => undefined);
  const weights = new Float32Array(totalElements(trainableShapes(config, settings)));
  await core.setParameters(weights.map((_, index) => Math.sin(index) / 16));
  const step = async () => {
    await core.accumulate(batch(), { terms: { loss: { op: 'live', name: 'logprob' } } });
    await core.step([], { learningRate: 1e-6 });
  };
  // The first step compiles.
  await step();
  const start = performance.now();
  let steps = 0;
  let spent = 0;
  for (; spent < 1000 * Number(seconds); steps += 1) {
    await step();
    spent = performance.now() - start;
  }
  await core.dispose();
  return (1000 * steps * ROWS * WIDTH) / spent;
}

function batch(): TrainingBatch {
  const size = ROWS * WIDTH;
  const numbers = () => new Float64Array(size);
  return {
    ...{ rows: ROWS, width: WIDTH, temperature: 1 },
    tokens: Int32Array.from({ length: size }, (_, index) => (index * 37) % 512),
    length: new Int32Array(ROWS).fill(WIDTH),
    mask: Uint8Array.from({ length: size }, (_, index) => Number(index % WIDTH > 0)),
    turn: new Int32Array(size),
    weight: numbers().fill(-1 / size),
    ...{ logprobs: numbers(), rewards: numbers(), advantages: numbers() },
    ...{ group: new Int32Array(ROWS), episode: Int32Array.from({ length: ROWS }, (_, row) => row) },
    ...{ truncated: new Uint8Array(ROWS), bootstrapValue: new Float64Array(ROWS) },
  };
}
