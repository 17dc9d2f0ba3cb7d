import { afterAll, beforeAll, expect, it } from 'vitest';

import { pieceLength, readSource, sourcesOf } from '../checkpoint/safetensors.js';
import { trainableShapes } from '../model/parameters.js';
import { elementCount, totalElements } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import type { Engine } from '../worker/engine.js';
import { InProcessEngine } from '../worker/in-process-engine.js';
import { trainedTensor, writeMoments } from './trained-tensors.js';

// The embedding is longer than a piece.
const config = presetConfig('pico', 20_000, 64);
const shapes = trainableShapes(config, { valueHead: false });
/** Numbers that bfloat16 has, different in neighbouring places. */
const numbers = (length: number, shift: number) => Float32Array.from({ length }, (_, index) => (index + shift) % 251);
/** Faster than a comparison of elements. */
const expectSame = (actual: Float32Array, expected: Float32Array) =>
  expect(Buffer.from(actual.buffer).equals(Buffer.from(expected.buffer))).toBe(true);

let engine: Engine;
beforeAll(async () => {
  const sizes = { microBatchTokens: 1024, activationBytes: 1e8, cacheBytes: 1e7, sessionThreads: 1, layered: false };
  engine = await InProcessEngine.create(
    { engine: 'auto', config, valueHead: false, samplingWeights: 'float32', ...sizes },
    1,
    () => undefined,
  );
});
afterAll(() => engine.dispose());

it('reads weights in pieces, in order', async () => {
  await engine.call(0, 'setParameters', [numbers(totalElements(shapes), 0)]);
  let start = 0;
  const counts = [];
  for (const [name, shape] of shapes) {
    const source = trainedTensor(engine, name, shape, 'float32');
    let pieces = 0;
    for await (const _ of source.pieces()) pieces += 1;
    counts.push(pieces);
    expectSame(await readSource(source), numbers(elementCount(shape), start));
    start += elementCount(shape);
  }
  expect(Math.max(...counts)).toBe(Math.ceil((20_000 * config.hiddenSize) / pieceLength));
  expect(Math.max(...counts)).toBeGreaterThan(1);
});

it.each(['float32', 'bfloat16'] as const)('writes and reads moments of %s, in pieces', async (type) => {
  await engine.call(0, 'startStage', [{ name: 'adamw', options: { stateDtype: type } }]);
  const { moments } = (await engine.call(0, 'optimizerState', []))!;
  const tensors = [...moments].map(([name, { shape }], index) => {
    return [name, { shape, data: numbers(elementCount(shape), index) }] as const;
  });
  await writeMoments(engine, sourcesOf(new Map(tensors)));
  for (const [name, { shape, data }] of tensors) {
    const source = trainedTensor(engine, name, shape, moments.get(name)!.type);
    expect(source.type).toBe(type === 'float32' ? 'F32' : 'BF16');
    expectSame(await readSource(source), data);
  }
});

it('refuses moments of other parameters, and changes nothing then', async () => {
  await engine.call(0, 'startStage', [{ name: 'adamw', options: {} }]);
  const { moments } = (await engine.call(0, 'optimizerState', []))!;
  const [first, { shape }] = [...moments][0]!;
  const only = sourcesOf(new Map([[first, { shape, data: numbers(elementCount(shape), 1) }]]));
  await expect(writeMoments(engine, only)).rejects.toThrow(/the optimizer's state has no first\.\S+ of \d+ numbers/);
  expect(new Set(await readSource(trainedTensor(engine, first, shape, 'float32')))).toEqual(new Set([0]));
});
