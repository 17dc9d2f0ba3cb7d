import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { beforeEach, describe, expect, it } from 'vitest';

import { parameterShapes } from '../model/parameters.js';
import { elementCount } from '../operations/shapes.js';
import { parseDecoderConfig } from './decoder-config-json.js';
import { checkWeightShapes, fillWeights } from './fill-weights.js';
import { type HostTensor, sourceOf } from './safetensors.js';
import { weightSources, writeWeights } from './weight-files.js';

const { files } = testHost();
const config = parseDecoderConfig(
  JSON.parse(readFileSync(new URL('./fixtures/configs/qwen2.config.json', import.meta.url), 'utf8')),
);
const shapes = parameterShapes(config, { valueHead: false });
const tensors = (fill: (index: number) => number) =>
  new Map(
    [...shapes].map(([name, shape]): [string, HostTensor] => {
      return [name, { shape, data: Float32Array.from({ length: elementCount(shape) }, (_, index) => fill(index)) }];
    }),
  );
const write = (weights: ReadonlyMap<string, HostTensor>, shardBytes?: number) =>
  writeWeights(directory, new Map([...weights].map(([name, it]) => [name, sourceOf(name, it)])), 'F32', shardBytes);

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agentgym-weights-'));
});

describe('fillWeights', () => {
  it.each([undefined, 100_000])('fills every place from files of at most %s bytes', async (shardBytes) => {
    const weights = tensors((index) => index % 1000);
    await write(weights, shardBytes);
    const places = tensors(() => -1);
    await fillWeights(await weightSources(files, directory), places);
    expect(places).toEqual(weights);
  });

  const damages: [string, (weights: Map<string, HostTensor>) => void, RegExp][] = [
    [
      'a missing weight',
      (weights) => weights.delete('model.norm.weight'),
      /^the folder lacks model.norm.weight, which has the shape \[64\]$/,
    ],
    [
      'a weight with another shape, also if it has as many numbers',
      (weights) => {
        const name = 'model.layers.1.self_attn.k_proj.weight';
        weights.set(name, { ...weights.get(name)!, shape: [64, 32] });
      },
      /k_proj.weight has the shape \[64, 32\], but config.json says \[32, 64\]$/,
    ],
    [
      'a weight that the model does not have',
      (weights) => weights.set('model.layers.0.mlp.up_proj.bias', { shape: [1], data: new Float32Array(1) }),
      /has the weight model.layers.0.mlp.up_proj.bias, which a model with this config.json does not have$/,
    ],
  ];
  it.each(damages)('refuses %s, before and while it reads', async (_, damage, message) => {
    const weights = tensors(() => 0.5);
    damage(weights);
    await write(weights);
    await expect(
      fillWeights(
        await weightSources(files, directory),
        tensors(() => 0),
      ),
    ).rejects.toThrow(message);
    const given = await weightSources(files, directory);
    expect(() => checkWeightShapes(given, shapes)).toThrow(message);
  });

  it.each([NaN, -Infinity])('names a weight that contains %s', async (number) => {
    const weights = tensors(() => 0.5);
    weights.get('model.layers.2.mlp.gate_proj.weight')!.data[77] = number;
    await write(weights);
    await expect(
      fillWeights(
        await weightSources(files, directory),
        tensors(() => 0),
      ),
    ).rejects.toThrow(`model.layers.2.mlp.gate_proj.weight contains ${number} at place 77`);
  });

  it('accepts a head that is stored although it is tied, and angles of older libraries', async () => {
    const weights = tensors((index) => index % 10);
    weights.set('lm_head.weight', weights.get('model.embed_tokens.weight')!);
    weights.set('model.layers.0.self_attn.rotary_emb.inv_freq', { shape: [8], data: new Float32Array(8) });
    await write(weights);
    await fillWeights(
      await weightSources(files, directory),
      tensors(() => 0),
    );
    checkWeightShapes(await weightSources(files, directory), shapes);
  });
});
