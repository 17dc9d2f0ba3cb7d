import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { unusableModel } from './unusable-model.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-unusable-'));
const put = (...names: string[]) => {
  for (const name of names) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), 'x');
  }
};
put('loose/model.safetensors', 'whole/model.safetensors', 'whole/config.json', 'loose/pytorch_model.bin');
put('files/a.Q4.gguf', 'run/manifest.json', 'run/x.safetensors', 'text/notes.txt');

it.each<[string, RegExp]>([
  ['missing.gguf', /There is no file .*missing\.gguf\. .*Check the path/],
  ['missing/model.safetensors', /There is no file/],
  ['loose', /has no config\.json.* Put the model's config\.json into it/],
  ['loose/model.safetensors', /has only the weights.* Put the model's config\.json and tokenizer\.json into .*loose/],
  ['whole/model.safetensors', /has only the weights.* Name its folder: .*whole/],
  ['whole/config.json', /is a part of a model\. Name its folder: .*whole/],
  ['loose/pytorch_model.bin', /pickle format.*Convert the model where you trust it, with `save_pretrained`/],
  ['files', /has a GGUF file.* Name the file: .*a\.Q4\.gguf/],
  ['text/notes.txt', /is a file, and not a model.*ends in \.gguf/],
])('says of %s what is wrong and what to type', (path, words) => {
  const { code, message, hint } = unusableModel(join(home, path))!;
  expect(code).toBe('AG_MODEL_UNUSABLE');
  expect(`${message} ${hint}`).toMatch(words);
});

it.each(['nowhere', 'run', 'whole', 'text', 'files/a.Q4.gguf'])('says nothing of %s', (path) => {
  expect(unusableModel(join(home, path))).toBeUndefined();
});
