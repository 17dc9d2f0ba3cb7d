import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { beforeEach, describe, expect, it } from 'vitest';

import { parseDecoderConfig } from './decoder-config-json.js';
import { type ModelFolder, readModelFolder, writeModelFolder, writeSafetensors } from './fixtures/model-folders.js';
import { writeModelFiles } from './model-folder.js';
import { readSource, sourceOf, sourcesOf } from './safetensors.js';
import { readTrainerState, writeTrainerState } from './trainer-state.js';

const { files } = testHost();
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
    expect(await readModelFolder(files, directory)).toEqual(folder);
  });

  it('needs no chat template and no generation config', async () => {
    const { chatTemplate: _, ...tokenizer } = folder.tokenizer;
    await writeModelFolder(directory, { ...folder, tokenizer });
    rmSync(join(directory, 'generation_config.json'));
    expect(await readModelFolder(files, directory)).toEqual({ ...folder, tokenizer });
  });

  it('is read from shards, each name from the shard that the index says', async () => {
    await writeModelFolder(directory, folder);
    rmSync(join(directory, 'model.safetensors'));
    const first = new Map([['model.norm.weight', tensor(1, 2, 3)]]);
    await writeSafetensors(join(directory, 'model-00001-of-00002.safetensors'), { tensors: first, metadata: {} });
    const second = new Map([['lm_head.weight', tensor(7)]]);
    await writeSafetensors(join(directory, 'model-00002-of-00002.safetensors'), { tensors: second, metadata: {} });
    const index = {
      'model.norm.weight': 'model-00001-of-00002.safetensors',
      'lm_head.weight': 'model-00002-of-00002.safetensors',
    };
    const writeIndex = (map: object) =>
      writeFileSync(join(directory, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }));
    writeIndex(index);
    const { weights } = await readModelFolder(files, directory);
    expect(weights).toEqual(new Map([['model.norm.weight', tensor(1, 2, 3)], ...second]));

    writeIndex({ ...index, 'model.norm.weight': 'model-00002-of-00002.safetensors' });
    await expect(readModelFolder(files, directory)).rejects.toThrow(/00002.safetensors lacks model.norm.weight/);
    writeIndex({ ...index, x: 'model-00003.safetensors' });
    await expect(readModelFolder(files, directory)).rejects.toThrow(/lacks model-00003.safetensors/);
    // Mutation: take the weight of whichever file comes first.
    const both = new Map([...second, ['model.norm.weight', tensor(1, 2, 3)] as const]);
    await writeSafetensors(join(directory, 'model-00002-of-00002.safetensors'), { tensors: both, metadata: {} });
    writeIndex(index);
    await expect(readModelFolder(files, directory)).rejects.toThrow(
      'model-00002-of-00002.safetensors has model.norm.weight, which another file',
    );
    writeIndex({ ...index, x: '../model.safetensors' });
    await expect(readModelFolder(files, directory)).rejects.toThrow(
      /"..\/model.safetensors", which is not a file name/,
    );
  });

  it.each(['config.json', 'tokenizer.json', 'model.safetensors'])('says that %s is missing', async (name) => {
    await writeModelFolder(directory, folder);
    rmSync(join(directory, name));
    await expect(readModelFolder(files, directory)).rejects.toThrow(`${directory} has no ${name}`);
  });

  it('names a file that is no JSON', async () => {
    await writeModelFolder(directory, folder);
    writeFileSync(join(directory, 'config.json'), '{"model_type": ');
    await expect(readModelFolder(files, directory)).rejects.toThrow(/^config.json is not JSON/);
  });
});

describe('a written folder', () => {
  const json = (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as { [key: string]: never };

  it('tells other programs to sample as agentgym does', async () => {
    await writeModelFolder(directory, folder);
    const ids = { bos_token_id: 1, eos_token_id: [2, 5], pad_token_id: 0 };
    expect(json('generation_config.json')).toEqual({ ...ids, do_sample: true, temperature: 1, top_p: 1, top_k: 0 });
    const sampling = { temperature: 0, topP: 1, topK: 0, maxTokens: 9 };
    await writeModelFiles(directory, folder, new Map(), { sampling });
    expect(json('generation_config.json')).toEqual({ ...ids, do_sample: false, max_new_tokens: 9 });
  });

  it('has shards of at most the given size, and an index', async () => {
    const sources = new Map([...folder.weights].map(([name, it]) => [name, sourceOf(name, it)]));
    await writeModelFiles(directory, folder, sources, { type: 'BF16', shardBytes: 6 });
    expect(json('config.json')).toMatchObject({ torch_dtype: 'bfloat16', architectures: ['Qwen3ForCausalLM'] });
    expect(json('model.safetensors.index.json')).toEqual({
      metadata: { total_size: 10 },
      weight_map: {
        'model.norm.weight': 'model-00001-of-00002.safetensors',
        'model.embed_tokens.weight': 'model-00002-of-00002.safetensors',
      },
    });
    expect(readdirSync(directory)).not.toContain('model.safetensors');
    expect(await readModelFolder(files, directory)).toEqual(folder);
  });
});

describe('a folder that is not read', () => {
  it.each(['pytorch_model.bin', 'pytorch_model.bin.index.json', 'consolidated.00.pth'])(
    'has its weights in %s, and learns how to convert it',
    async (name) => {
      await writeModelFolder(directory, folder);
      renameSync(join(directory, 'model.safetensors'), join(directory, name));
      await expect(readModelFolder(files, directory)).rejects.toThrow(
        new RegExp(`no model.safetensors, only ${name}. This is a pickle file.* python -c .*save_pretrained`),
      );
    },
  );

  it('has an index with a name that is no text', async () => {
    await writeModelFolder(directory, folder);
    rmSync(join(directory, 'model.safetensors'));
    writeFileSync(join(directory, 'model.safetensors.index.json'), '{"weight_map": {"a": 7}}');
    await expect(readModelFolder(files, directory)).rejects.toThrow(/names 7, which is not a file name/);
  });
});

describe('a trainer state', () => {
  it('comes back bit by bit', async () => {
    const moments = new Float32Array([1e-38, -0, Math.PI]);
    const values = { steps: 12, optimizer: { name: 'adamw', beta: 0.999 } };
    const tensors = sourcesOf(new Map([['first.model.norm.weight', { shape: [3], data: moments }]]));
    await writeTrainerState(directory, { tensors, values });
    const read = await readTrainerState(files, directory);
    expect(read.values).toEqual(values);
    expect([...read.tensors.keys()]).toEqual([...tensors.keys()]);
    expect(await readSource(read.tensors.get('first.model.norm.weight')!)).toEqual(moments);
  });

  it('is not just any file of tensors', async () => {
    await writeSafetensors(join(directory, 'trainer_state.safetensors'), { tensors: new Map(), metadata: {} });
    await expect(readTrainerState(files, directory)).rejects.toThrow(/contains no trainer state/);
  });
});
