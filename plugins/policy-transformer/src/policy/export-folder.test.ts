import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { beforeEach, expect, it } from 'vitest';

import { readAdapterConfig } from '../checkpoint/adapter-config.js';
import { adapterOf, openModel, writeAdapterFolder } from '../checkpoint/adapter-folder.js';
import { readModelFolder, writeModelFolder } from '../checkpoint/fixtures/model-folders.js';
import { sourcesOf } from '../checkpoint/safetensors.js';
import { adapterShapes, parameterShapes } from '../model/parameters.js';
import { elementCount } from '../operations/shapes.js';
import { presetConfig } from '../presets/presets.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { trainWordTokenizer } from '../tokenizer/train-word-tokenizer.js';
import { exportFolder } from './export-folder.js';

const { files } = testHost();
async function* corpus() {
  yield Promise.resolve('guess 5 of 9');
}
const sampling = { temperature: 0.7, topP: 1, topK: 0 };
const settings = {
  dtype: 'float32',
  merge: false,
  sampling,
  maxActionTokens: 9,
  signal: new AbortController().signal,
} as const;
const options = { thinking: 'template' } as const;
const temporary = () => mkdtempSync(join(tmpdir(), 'agentgym-export-'));

let [from, to] = ['', ''];
/** Writes a model whose weights are all `number`. */
async function write(number: number): Promise<void> {
  const tokenizer = await trainWordTokenizer(corpus(), { vocabularySize: 300 });
  const config = presetConfig('pico', createConversationEncoder(tokenizer).vocabularySize, 128);
  const shapes = [...parameterShapes(config, { valueHead: false })];
  const weights = new Map(
    shapes.map(([name, shape]) => [name, { shape, data: new Float32Array(elementCount(shape)).fill(number) }]),
  );
  // The folder names another end of text than the template.
  await writeModelFolder(from, { config, weights, ids: { eos: [3] }, tokenizer });
}
beforeEach(() => {
  [from, to] = [temporary(), temporary()];
});

it.each([
  ['float32', 1 / 3],
  ['bfloat16', 0.333984375],
  ['float16', 0.333251953125],
] as const)('stores weights as %s, and samples as the policy did', async (dtype, rounded) => {
  await write(1 / 3);
  const { architecture, parameters } = await exportFolder(options, from, to, { ...settings, dtype }, files);
  const { weights, config } = await readModelFolder(files, to);
  const numbers = [...weights.values()].flatMap(({ data }) => [...data]);
  expect([architecture, parameters]).toEqual(['LlamaForCausalLM', numbers.length]);
  expect(new Set(numbers)).toEqual(new Set([Math.fround(rounded)]));
  expect(config).toEqual((await readModelFolder(files, from)).config);
  expect(JSON.parse(readFileSync(join(to, 'generation_config.json'), 'utf8'))).toEqual({
    eos_token_id: [0, 3],
    do_sample: true,
    temperature: 0.7,
    top_p: 1,
    top_k: 0,
    max_new_tokens: 9,
  });
});

it('refuses weights that are not numbers, or too large for the type', async () => {
  await write(Number.NaN);
  await expect(exportFolder(options, from, to, settings, files)).rejects.toThrow(
    /embed_tokens.weight contains NaN at place 0/,
  );
  await write(1e6);
  await expect(exportFolder(options, from, to, { ...settings, dtype: 'float16' }, files)).rejects.toThrow(
    /use bfloat16/,
  );
});

it('writes an adapter as it is, or added to its base', async () => {
  await write(0.25);
  const { config, tokenizer } = await readModelFolder(files, from);
  const lora = { rank: 2, alpha: 4, rankStabilized: false, targets: ['mlp.up_proj'] as const, dora: false };
  const shapes = adapterShapes(config, adapterOf(lora));
  const factors = new Map(
    [...shapes].map(([name, shape]) => [name, { shape, data: new Float32Array(elementCount(shape)).fill(0.5) }]),
  );
  const adapter = temporary();
  await writeAdapterFolder(adapter, { settings: lora, base: { name: from }, factors: sourcesOf(factors), tokenizer });

  await expect(exportFolder(options, adapter, to, { ...settings, dtype: 'bfloat16' }, files)).rejects.toThrow(
    'add `--merge`',
  );
  const { parameters, base } = await exportFolder(options, adapter, to, settings, files);
  expect(parameters).toBe(2 * 2 * (64 + 128));
  expect(base).toEqual({ name: from });
  expect(await readAdapterConfig(files, to)).toEqual({ settings: lora, base });
  const named = { name: 'somebody/base', revision: 'c0ffee' };
  const renamed = temporary();
  const nameBase = (folder: string) => (folder === from ? named : { name: 'another' });
  expect(await exportFolder(options, adapter, renamed, { ...settings, nameBase }, files)).toMatchObject({
    base: named,
  });
  expect(await readAdapterConfig(files, renamed)).toEqual({ settings: lora, base: named });
  await expect(openModel(files, renamed)).rejects.toThrow('names the base somebody/base, which is not a folder');
  expect(
    (await openModel(files, renamed, { findModel: (name) => (name === named.name ? from : undefined) })).base,
  ).toBe(from);

  const whole = temporary();
  await exportFolder(options, adapter, whole, { ...settings, merge: true }, files);
  const { weights } = await readModelFolder(files, whole);
  for (const [name, { data }] of weights) {
    // Two products of 0.5 and 0.5, times alpha / rank.
    expect(new Set(data), name).toEqual(new Set([name.endsWith('up_proj.weight') ? 1.25 : 0.25]));
  }
  await expect(exportFolder(options, from, temporary(), { ...settings, merge: true }, files)).rejects.toThrow(
    'has no adapter',
  );
});

it('ends when it is aborted', async () => {
  await write(1);
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(exportFolder(options, from, to, { ...settings, signal }, files)).rejects.toThrow('enough');
  expect(readdirSync(to)).toContain('config.json');
});
