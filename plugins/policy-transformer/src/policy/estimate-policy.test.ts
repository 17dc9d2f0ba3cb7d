import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadableStream } from 'node:stream/web';

import type { PolicyLoad } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { options as declared, type TransformerOptions } from '../options.js';
import { InProcessEngine } from '../worker/in-process-engine.js';
import { createPolicy } from './create-policy.js';
import { estimate } from './estimate-policy.js';

const { files } = testHost();
const options: TransformerOptions = {
  ...optionDefaults(declared),
  threads: 1,
  microBatchTokens: 2048,
  cacheMegabytes: 100,
  activationMegabytes: 100,
  tokenizer: 'words',
  vocabularySize: 300,
};
const load: PolicyLoad = {
  sequences: 16,
  turns: 5,
  trainedTurns: 5,
  actionTokens: 4,
  rows: 4096,
  evaluates: false,
  references: 0,
  samplings: [{ temperature: 1, topP: 1, topK: 0 }],
  optimizers: [{ name: 'adamw', options: {} }],
};

it('tells what create makes, of a preset and of a folder, and refuses a folder as create does', async () => {
  const context = { valueHead: false, maxTokens: 256 };
  const corpus = () => ReadableStream.from(['guess my number between 4 and 33', 'higher lower']);
  const policy = await createPolicy(
    options,
    testHost(3),
    { ...context, corpus, preset: 'pico' },
    (settings, cores, log) => InProcessEngine.create(settings, cores, log),
  );
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-estimate-'));
  await policy.save(folder);
  const made = policy.describe()['parameters'] as number;
  await policy.dispose();
  const scratch = await estimate(options, { ...context, preset: 'pico' }, load, files);
  // The vocabulary is not known yet: up to 300 tokens of 64 numbers each.
  expect(scratch.parameters).toBeGreaterThan(made + 64 * 200);
  expect(scratch.parameters).toBeLessThan(made + 64 * 300);
  expect(scratch).not.toHaveProperty('encoder');
  const read = await estimate(options, { ...context, from: folder }, load, files);
  expect(read.parameters).toBe(made);
  expect(read.capabilities).toEqual(policy.capabilities);
  expect(read.bytes['weights']).toBe(4 * made);
  expect(read).not.toHaveProperty('frozenParameters');
  const adapted = await estimate({ ...options, loraRank: 2 }, { ...context, from: folder }, load, files);
  expect(adapted.frozenParameters).toBe(made);
  expect(adapted.parameters).toBeLessThan(made / 4);

  const template = join(folder, 'chat_template.jinja');
  const own = readFileSync(template, 'utf8');
  writeFileSync(template, '{{ messages[-1].content }}<|end|>');
  await expect(estimate(options, { ...context, from: folder }, load, files)).rejects.toThrow(
    /^chat_template\.jinja: the chat template drops the actions of earlier turns/,
  );
  writeFileSync(template, own);
  const thinking = { ...options, thinking: 'keep' } as const;
  await expect(estimate(thinking, { ...context, from: folder }, load, files)).rejects.toThrow(/"keep" has no effect/);
  await expect(estimate(thinking, { ...context, preset: 'pico' }, load, files)).rejects.toThrow(
    /"keep" has no effect on a model from scratch/,
  );
  const config = join(folder, 'config.json');
  const json = JSON.parse(readFileSync(config, 'utf8')) as { vocab_size: number };
  writeFileSync(config, JSON.stringify({ ...json, vocab_size: 5 }));
  await expect(estimate(options, { ...context, from: folder }, load, files)).rejects.toThrow(
    /^model.embed_tokens.weight has the shape \[\d+, \d+\], but config.json says \[5, /,
  );
  writeFileSync(config, JSON.stringify(json));

  truncateSync(join(folder, 'model.safetensors'), 1000);
  await expect(estimate(options, { ...context, from: folder }, load, files)).rejects.toThrow(/damaged/);
  rmSync(join(folder, 'tokenizer.json'));
  await expect(estimate(options, { ...context, from: folder }, load, files)).rejects.toThrow('has no tokenizer.json');
});

/** Bytes of a model of the preset mini by part. */
async function bytesOf(changes: object, asked: object = {}): Promise<Record<string, number>> {
  const { bytes } = await estimate(
    { ...options, ...changes },
    { valueHead: false, preset: 'mini' },
    { ...load, ...asked },
    files,
  );
  return bytes;
}

it('grows with threads, episodes, copies and the length of batches', async () => {
  const base = await bytesOf({});
  expect((await bytesOf({ threads: 4 }))['weights']).toBe(4 * base['weights']!);
  expect((await bytesOf({}, { references: 1 }))['references']).toBe(base['weights']!);
  expect((await bytesOf({ microBatchTokens: 4096 }))['activations']! / base['activations']!).toBeGreaterThan(1.8);
  expect(base['evaluation']).toBe(0);
  expect((await bytesOf({}, { evaluates: true }))['evaluation']).toBeGreaterThan(0);
  const muon = (await bytesOf({}, { optimizers: [{ name: 'muon', options: {} }] }))['optimizer']!;
  const sgd = (await bytesOf({}, { optimizers: [{ name: 'sgd', options: {} }] }))['optimizer']!;
  expect(sgd).toBeLessThan(base['optimizer']!);
  expect(muon).toBeGreaterThan(sgd);
});

it('proposes smaller values of the options that matter', async () => {
  const { smaller } = await estimate({ ...options, threads: 2 }, { valueHead: false, preset: 'mini' }, load, files);
  expect(smaller).toEqual({ microBatchTokens: [1024, 512, 256], cacheMegabytes: [64], threads: [1] });
});
