import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReadableStream } from 'node:stream/web';

import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { options as declared, type TransformerOptions } from '../options.js';
import { InProcessEngine } from '../worker/in-process-engine.js';
import { createPolicy } from './create-policy.js';
import { estimate } from './estimate-policy.js';

const options: TransformerOptions = {
  ...optionDefaults(declared),
  threads: 1,
  microBatchTokens: 2048,
  cacheMegabytes: 100,
  activationMegabytes: 100,
  tokenizer: 'words',
  vocabularySize: 300,
};
const load = { sequences: 16, tokens: 200 };

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
  const scratch = await estimate(options, { ...context, preset: 'pico' }, load);
  // The estimate assumes the largest vocabulary, 300 tokens of 64 numbers each. Really there are about thirty tokens.
  expect(scratch.parameters).toBeGreaterThan(made);
  expect(scratch.parameters).toBeLessThan(made + 64 * 300);
  const read = await estimate(options, { ...context, from: folder }, load);
  expect(read.parameters).toBe(made);
  expect(read.capabilities).toEqual(policy.capabilities);
  expect(read.bytes['weights']).toBe(3 * 4 * made);

  const template = join(folder, 'chat_template.jinja');
  const own = readFileSync(template, 'utf8');
  writeFileSync(template, '{{ messages[-1].content }}<|end|>');
  await expect(estimate(options, { ...context, from: folder }, load)).rejects.toThrow(
    /^chat_template\.jinja: the chat template drops the actions of earlier turns/,
  );
  writeFileSync(template, own);
  const thinking = { ...options, thinking: 'keep' } as const;
  await expect(estimate(thinking, { ...context, from: folder }, load)).rejects.toThrow(/"keep" has no effect/);
  await expect(estimate(thinking, { ...context, preset: 'pico' }, load)).rejects.toThrow(
    /"keep" has no effect on a model from scratch/,
  );
  const config = join(folder, 'config.json');
  const json = JSON.parse(readFileSync(config, 'utf8')) as { vocab_size: number };
  writeFileSync(config, JSON.stringify({ ...json, vocab_size: 5 }));
  await expect(estimate(options, { ...context, from: folder }, load)).rejects.toThrow(
    /the model's embedding has 5 rows/,
  );
  writeFileSync(config, JSON.stringify(json));

  truncateSync(join(folder, 'model.safetensors'), 1000);
  await expect(estimate(options, { ...context, from: folder }, load)).rejects.toThrow(/damaged/);
  rmSync(join(folder, 'tokenizer.json'));
  await expect(estimate(options, { ...context, from: folder }, load)).rejects.toThrow('has no tokenizer.json');
});

it('grows with threads, episodes and the length of batches', async () => {
  const of = async (changes: object, asked = load) => {
    const { bytes, mostBeside } = await estimate(
      { ...options, ...changes },
      { valueHead: true, preset: 'mini' },
      asked,
    );
    return { ...bytes, ...mostBeside } as Record<string, number>;
  };
  const base = await of({});
  expect((await of({ threads: 4 }))['weights']).toBe(3 * base['weights']!);
  expect((await of({ microBatchTokens: 4096 }))['activations']).toBe(2 * base['activations']!);
  expect((await of({}, { sequences: 32, tokens: 200 }))['cache']).toBe(2 * base['cache']!);
  expect((await of({ cacheMegabytes: 1 }))['cache']).toBe(1e6);
});
