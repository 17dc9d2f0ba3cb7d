import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { testHost } from '@agentgym/cli/testing';
import { afterAll, describe, expect, it } from 'vitest';

import { sameShape } from '../operations/shapes.js';
import { readAdapterConfig } from './adapter-config.js';
import { adapterOf, openModel, readAdapterWeights, writeAdapterFolder } from './adapter-folder.js';
import { parseDecoderConfig } from './decoder-config-json.js';
import { mergeAdapter, mergedSource } from './merge-adapter.js';
import { readSafetensors, sourcesOf } from './safetensors.js';

const { files } = testHost();
const recordings = fileURLToPath(new URL('../../../../test/golden/fixtures/models', import.meta.url));
const recorded = join(recordings, 'qwen2-lora');
const config = parseDecoderConfig(
  JSON.parse(readFileSync(join(recordings, 'qwen2', 'config.json'), 'utf8')) as { readonly [key: string]: unknown },
);
const readBase = async () => (await readSafetensors(files, join(recordings, 'qwen2', 'model.safetensors'))).tensors;
const room = mkdtempSync(join(tmpdir(), 'agentgym-adapter-'));
afterAll(() => rmSync(room, { recursive: true }));

/** A copy of peft's folder with another configuration. */
function copy(name: string, changes: object): string {
  const folder = join(room, name);
  cpSync(recorded, folder, { recursive: true });
  const path = join(folder, 'adapter_config.json');
  const content = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...content, ...changes }));
  return folder;
}

describe("peft's folder of an adapter", () => {
  it.each([
    ['qwen2-lora', false, 2],
    ['qwen2-dora', true, 3],
  ])('is read and written with the same numbers: %s', async (name, dora, arrays) => {
    const { settings, base } = await readAdapterConfig(files, join(recordings, name));
    expect(base).toEqual({ name: '../qwen2' });
    expect(settings).toMatchObject({ rank: 4, alpha: 8, rankStabilized: false, dora });
    expect(settings.targets.length).toBe(7);
    const factors = await readAdapterWeights(files, join(recordings, name), config, settings);
    expect(factors.size).toBe(arrays * 7 * config.layers);
    const folder = mkdtempSync(join(room, 'written-'));
    await writeAdapterFolder(folder, {
      settings,
      base,
      factors: sourcesOf(factors),
      tokenizer: { tokenizer: '{}', config: '{}' },
    });
    expect(await readAdapterConfig(files, folder)).toEqual({ settings, base });
    expect(await readAdapterWeights(files, folder, config, settings)).toEqual(factors);
  });

  it('tells the scale of both kinds', () => {
    const settings = { rank: 16, alpha: 8, targets: [], dora: false };
    expect(adapterOf({ ...settings, rankStabilized: false }).scale).toBe(0.5);
    expect(adapterOf({ ...settings, rankStabilized: true }).scale).toBe(2);
  });

  it('is refused with factors of another shape, and with others than it says', async () => {
    const { settings } = await readAdapterConfig(files, recorded);
    await expect(readAdapterWeights(files, recorded, config, { ...settings, rank: 8 })).rejects.toThrow(
      /has \[4, 64\] for model.layers.0.self_attn.q_proj.lora_A.weight, which is \[8, 64\] in this model: is it an adapter of another base\?/,
    );
    await expect(
      readAdapterWeights(files, recorded, config, { ...settings, targets: ['mlp.up_proj'] }),
    ).rejects.toThrow(/which this model does not have/);
    await expect(readAdapterWeights(files, join(recordings, 'qwen2'), config, settings)).rejects.toThrow(
      'has no adapter_model.safetensors',
    );
  });

  // Mutation: read the factors without looking at their numbers.
  it.each([NaN, Infinity])('is refused with a factor that is %s', async (number) => {
    const { settings, base } = await readAdapterConfig(files, recorded);
    const factors = await readAdapterWeights(files, recorded, config, settings);
    const name = 'model.layers.1.mlp.up_proj.lora_B.weight';
    factors.get(name)!.data[3] = number;
    const folder = mkdtempSync(join(room, 'damaged-'));
    const tokenizer = { tokenizer: '{}', config: '{}' };
    await writeAdapterFolder(folder, { settings, base, factors: sourcesOf(factors), tokenizer });
    await expect(readAdapterWeights(files, folder, config, settings)).rejects.toThrow(
      `${folder}/adapter_model.safetensors: ${name} contains ${number} at place 3`,
    );
  });

  it('opens the base that it names, and with one that is given no other folder', async () => {
    const qwen = join(room, 'qwen2');
    cpSync(join(recordings, 'qwen2'), qwen, { recursive: true });
    writeFileSync(join(qwen, 'tokenizer.json'), '{}');
    const relative = copy('relative', {});
    expect((await openModel(files, relative)).base).toBe(qwen);
    expect((await openModel(files, relative, { base: qwen })).base).toBe(qwen);
    // The model that is open may be an adapter of the same base.
    expect((await openModel(files, relative, { base: copy('other', {}) })).base).toBe(qwen);
    const named = copy('named', { base_model_name_or_path: 'ORG/NAME' });
    const findModel = (name: string) => (name === 'ORG/NAME' ? qwen : undefined);
    expect((await openModel(files, named, { base: qwen, findModel })).base).toBe(qwen);
    const elsewhere = copy('elsewhere', { base_model_name_or_path: join(recordings, 'gemma3') });
    for (const folder of [elsewhere, copy('nowhere', { base_model_name_or_path: '/dev/zero' })]) {
      await expect(openModel(files, folder, { base: qwen })).rejects.toThrow('which is not the model that is open');
    }
  });

  it('merges by adding the product of its factors', async () => {
    const { settings } = await readAdapterConfig(files, recorded);
    const factors = await readAdapterWeights(files, recorded, config, settings);
    const name = 'model.layers.1.mlp.down_proj';
    const before = (await readBase()).get(`${name}.weight`)!;
    const weights = await readBase();
    mergeAdapter(weights, factors, adapterOf(settings));
    const [down, up] = ['A', 'B'].map((factor) => factors.get(`${name}.lora_${factor}.weight`)!);
    expect(sameShape(before.shape, [64, 160])).toBe(true);
    for (const [row, column] of [
      [0, 0],
      [63, 159],
      [17, 80],
    ] as const) {
      let product = 0;
      for (let r = 0; r < 4; r += 1) product += up!.data[row * 4 + r]! * down!.data[r * 160 + column]!;
      const index = row * 160 + column;
      expect(weights.get(`${name}.weight`)!.data[index]).toBeCloseTo(before.data[index]! + 2 * product, 6);
    }
    // In pieces that end within rows.
    const pieces = { shape: before.shape, pieces: () => [before.data.subarray(0, 1000), before.data.subarray(1000)] };
    const merged: number[] = [];
    const source = mergedSource(`${name}.weight`, pieces, factors, adapterOf(settings));
    for await (const piece of source.pieces()) merged.push(...piece);
    expect(Float32Array.from(merged)).toEqual(weights.get(`${name}.weight`)!.data);
    expect(weights.get('model.norm.weight')).toEqual((await readBase()).get('model.norm.weight'));
  });

  // Goes red when the length of a row is taken of one piece, or of the base alone.
  it('merges in DoRA so that each row has its trained length, whole and in pieces', async () => {
    const folder = join(recordings, 'qwen2-dora');
    const { settings } = await readAdapterConfig(files, folder);
    const factors = await readAdapterWeights(files, folder, config, settings);
    const name = 'model.layers.1.mlp.down_proj';
    const before = (await readBase()).get(`${name}.weight`)!;
    const sum = await readBase();
    mergeAdapter(sum, new Map([...factors].filter(([key]) => !key.endsWith('magnitude_vector'))), adapterOf(settings));
    const weights = await readBase();
    mergeAdapter(weights, factors, adapterOf(settings));
    const magnitudes = factors.get(`${name}.lora_magnitude_vector`)!.data;
    for (const row of [0, 17, 63]) {
      const rowOf = (of: typeof sum) => of.get(`${name}.weight`)!.data.subarray(row * 160, (row + 1) * 160);
      const [added, merged] = [rowOf(sum), rowOf(weights)];
      expect(Math.hypot(...merged)).toBeCloseTo(magnitudes[row]!, 5);
      const along = merged.reduce((total, x, column) => total + x * added[column]!, 0);
      expect(along / (Math.hypot(...merged) * Math.hypot(...added))).toBeCloseTo(1, 6);
    }
    const pieces = { shape: before.shape, pieces: () => [before.data.subarray(0, 1000), before.data.subarray(1000)] };
    const inPieces: number[] = [];
    const source = mergedSource(`${name}.weight`, pieces, factors, adapterOf(settings));
    for await (const piece of source.pieces()) inPieces.push(...piece);
    expect(Float32Array.from(inPieces)).toEqual(weights.get(`${name}.weight`)!.data);
  });
});
