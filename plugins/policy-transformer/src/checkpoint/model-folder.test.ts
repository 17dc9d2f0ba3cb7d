import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { parseDecoderConfig } from './decoder-config-json.js';
import { type ModelFolder, readModelFolder, writeModelFolder } from './model-folder.js';
import { writeSafetensors } from './safetensors.js';
import { readTrainerState, writeTrainerState } from './trainer-state.js';

const config = parseDecoderConfig(
  JSON.parse(readFileSync(new URL('./fixtures/configs/qwen3.config.json', import.meta.url), 'utf8')),
);
const tensor = (...data: number[]) => ({ shape: [data.length], data: new Float32Array(data) });
const folder: ModelFolder = {
  config,
  weights: new Map([
    ['model.norm.weight', tensor(1, 2, 3)],
    ['model.embed_tokens.weight', tensor(4, 5)],
  ]),
  ids: { bos: 1, eos: [2, 5], pad: 0 },
  tokenizer: { tokenizer: '{"some": "tokenizer"}', config: '{"eos_token": "x"}', chatTemplate: '{{ messages }}\n' },
};

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agentgym-folder-'));
});

describe('a model folder', () => {
  it('comes back as it was written', async () => {
    await writeModelFolder(directory, folder);
    expect(await readModelFolder(directory)).toEqual(folder);
  });

  it('needs no chat template and no generation config', async () => {
    const { chatTemplate: _, ...tokenizer } = folder.tokenizer;
    await writeModelFolder(directory, { ...folder, tokenizer });
    rmSync(join(directory, 'generation_config.json'));
    expect(await readModelFolder(directory)).toEqual({ ...folder, tokenizer });
  });

  it('is read from shards, each name from the shard that the index says', async () => {
    await writeModelFolder(directory, folder);
    renameSync(join(directory, 'model.safetensors'), join(directory, 'model-00001-of-00002.safetensors'));
    const second = new Map([['lm_head.weight', tensor(7)]]);
    await writeSafetensors(join(directory, 'model-00002-of-00002.safetensors'), { tensors: second, metadata: {} });
    const index = {
      'model.norm.weight': 'model-00001-of-00002.safetensors',
      'lm_head.weight': 'model-00002-of-00002.safetensors',
    };
    const writeIndex = (map: object) =>
      writeFileSync(join(directory, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
    writeIndex(index);
    const { weights } = await readModelFolder(directory);
    expect(weights).toEqual(new Map([['model.norm.weight', tensor(1, 2, 3)], ...second]));

    writeIndex({ ...index, 'model.norm.weight': 'model-00002-of-00002.safetensors' });
    await expect(readModelFolder(directory)).rejects.toThrow(/00002.safetensors lacks model.norm.weight/);
    writeIndex({ ...index, x: 'model-00003.safetensors' });
    await expect(readModelFolder(directory)).rejects.toThrow(/lacks model-00003.safetensors/);
    writeIndex({ ...index, x: '../model.safetensors' });
    await expect(readModelFolder(directory)).rejects.toThrow(/"..\/model.safetensors", which is not a file name/);
  });

  it.each(['config.json', 'tokenizer.json', 'model.safetensors'])('says that %s is missing', async (name) => {
    await writeModelFolder(directory, folder);
    rmSync(join(directory, name));
    await expect(readModelFolder(directory)).rejects.toThrow(`${directory} has no ${name}`);
  });

  it('names a file that is no JSON', async () => {
    await writeModelFolder(directory, folder);
    writeFileSync(join(directory, 'config.json'), '{"model_type": ');
    await expect(readModelFolder(directory)).rejects.toThrow(/^config.json is not JSON/);
  });
});

describe('a trainer state', () => {
  it('comes back bit by bit', async () => {
    const moments = new Float32Array([1e-38, -0, Math.PI]);
    const state = {
      tensors: new Map([['first.model.norm.weight', { shape: [3], data: moments }]]),
      values: { steps: 12, optimizer: { name: 'adamw', beta: 0.999 } },
    };
    await writeTrainerState(directory, state);
    expect(await readTrainerState(directory)).toEqual(state);
  });

  it('is not just any file of tensors', async () => {
    await writeSafetensors(join(directory, 'trainer_state.safetensors'), { tensors: new Map(), metadata: {} });
    await expect(readTrainerState(directory)).rejects.toThrow(/contains no trainer state/);
  });
});
