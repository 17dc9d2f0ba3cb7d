import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GgufSettings } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { ggufCases, ggufFile, writeGgufModel } from '../checkpoint/gguf/fixtures/gguf-models.js';
import { readGguf } from '../checkpoint/gguf/fixtures/read-gguf.js';
import { writeAdapterFolder } from '../checkpoint/adapter-folder.js';
import type { ModelFolder } from '../checkpoint/fixtures/model-folders.js';
import { sourcesOf } from '../checkpoint/safetensors.js';
import { adapterShapes } from '../model/parameters.js';
import { elementCount } from '../operations/shapes.js';
import { trainByteLevelTokenizer } from '../tokenizer/train-byte-level-tokenizer.js';
import { trainWordTokenizer } from '../tokenizer/train-word-tokenizer.js';
import { exportGguf } from './export-gguf.js';

const { files } = testHost();
/** What the package gguf of Python reads in these files (`fixtures/record.py`). */
const recorded = JSON.parse(
  readFileSync(new URL('../checkpoint/gguf/fixtures/gguf.json', import.meta.url), 'utf8'),
) as {
  readonly [file: string]: {
    readonly sha256: string;
    readonly fields: { readonly [key: string]: unknown };
    readonly tensors: readonly {
      readonly name: string;
      readonly sizes: number[];
      readonly type: string;
      readonly values: number[];
    }[];
  };
};
const settings: Omit<GgufSettings, 'dtype' | 'name'> = {
  merge: false,
  sampling: { temperature: 0.5, topP: 0.75, topK: 7 },
  signal: new AbortController().signal,
};
const options = { thinking: 'template' } as const;
const folder = mkdtempSync(join(tmpdir(), 'agentgym-gguf-'));
const models = new Map<string, ModelFolder>();

const write = (name: string, dtype: GgufSettings['dtype'], changes: Partial<GgufSettings> = {}) =>
  exportGguf(
    options,
    join(folder, name),
    ggufFile(folder, name, dtype),
    { ...settings, dtype, name, ...changes },
    files,
  );

beforeAll(async () => {
  for (const name of ['llama', 'qwen2', 'qwen3']) models.set(name, await writeGgufModel(join(folder, name), name));
});

describe('GGUF files', () => {
  it.each(ggufCases)('%s in %s are the files that another reader has read', async (name, dtype) => {
    await write(name, dtype);
    const path = ggufFile(folder, name, dtype);
    const { fields, tensors } = readGguf(path);
    const { fields: theirs, sha256, tensors: list } = recorded[`${name}-${dtype}.gguf`]!;
    const short = [...fields].map(([key, value]) => {
      const isLong = Array.isArray(value) && value.length >= 20;
      return [key, isLong ? [value.length, value.slice(0, 4), value.slice(-4)] : value];
    });
    expect(Object.fromEntries(short)).toEqual(theirs);
    const found = [...tensors].map(([tensor, { sizes, type, values }]) => {
      const step = Math.max(1, Math.floor(values.length / 7));
      return { name: tensor, sizes, type, values: values.filter((_, index) => index % step === 0) };
    });
    expect(found).toEqual(list);
    expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(sha256);
  });

  // Goes red when rows keep Hugging Face's order, or when keys are turned as if they had as many heads as queries.
  it('turn the heads of llama, and of no other model', async () => {
    for (const [name, part, heads, rows] of [
      ['llama', 'q', 2, 32],
      ['llama', 'k', 1, 16],
      ['qwen2', 'q', 0, 32],
      ['llama', 'v', 0, 16],
    ] as const) {
      await write(name, 'float32');
      const { tensors } = readGguf(ggufFile(folder, name, 'float32'));
      for (const [kind, width] of [
        ['weight', 32],
        ['bias', 1],
      ] as const) {
        const { values } = tensors.get(`blk.0.attn_${part}.${kind}`)!;
        const { data } = models.get(name)!.weights.get(`model.layers.0.self_attn.${part}_proj.${kind}`)!;
        for (let row = 0; row < rows; row += 1) {
          const size = rows / heads;
          const inside = row % size;
          const from = heads === 0 ? row : row - inside + (inside % 2) * (size / 2) + Math.floor(inside / 2);
          expect(values.slice(row * width, (row + 1) * width)).toEqual([
            ...data.slice(from * width, (from + 1) * width),
          ]);
        }
      }
    }
  });

  it('have 8 bits within half a step and the rounding of its length, and the tokenizer of the folder', async () => {
    await write('llama', 'q8_0');
    const { fields, tensors } = readGguf(ggufFile(folder, 'llama', 'q8_0'));
    const { data } = models.get('llama')!.weights.get('model.embed_tokens.weight')!;
    const { values } = tensors.get('token_embd.weight')!;
    for (let block = 0; block < data.length; block += 32) {
      const step = Math.max(...data.slice(block, block + 32).map(Math.abs)) / 127;
      for (let at = block; at < block + 32; at += 1)
        expect(Math.abs(values[at]! - data[at]!)).toBeLessThan(0.57 * step);
    }
    const tokens = fields.get('tokenizer.ggml.tokens') as string[];
    expect([tokens[0], tokens.at(-1)]).toEqual(['<|end|>', '[PAD269]']);
    expect(fields.get('tokenizer.ggml.merges')).toContain('g u');
  });

  it('have an adapter added to its base', async () => {
    const { config, tokenizer, weights } = models.get('qwen3')!;
    const lora = { rank: 2, alpha: 4, rankStabilized: false, targets: ['mlp.up_proj'] as const, dora: false };
    const shapes = adapterShapes(config, { ...lora, scale: 2 });
    const factors = new Map(
      [...shapes].map(([name, shape]) => [name, { shape, data: new Float32Array(elementCount(shape)).fill(0.5) }]),
    );
    const base = { name: join(folder, 'qwen3') };
    const adapter = mkdtempSync(join(tmpdir(), 'agentgym-gguf-'));
    await writeAdapterFolder(adapter, { settings: lora, base, factors: sourcesOf(factors), tokenizer });
    const file = join(adapter, 'merged.gguf');
    const own = { ...settings, dtype: 'float32', name: 'merged' } as const;
    await expect(exportGguf(options, adapter, file, own, files)).rejects.toThrow('add `--merge`');
    await exportGguf(options, adapter, file, { ...own, merge: true }, files);
    const { values } = readGguf(file).tensors.get('blk.0.ffn_up.weight')!;
    const before = weights.get('model.layers.0.mlp.up_proj.weight')!.data;
    expect(values).toEqual([...before].map((number) => Math.fround(number + 1)));
    await expect(write('qwen3', 'float32', { merge: true })).rejects.toThrow('has no adapter');
  });

  const changed = async (change: (tokenizer: Json) => void) => {
    const files = await trainByteLevelTokenizer(['guess 12'], { vocabularySize: 260 });
    const tokenizer = JSON.parse(files.tokenizer) as Json;
    change(tokenizer);
    return { tokenizer: { ...files, tokenizer: JSON.stringify(tokenizer) } };
  };
  it.each<[string, () => Promise<Parameters<typeof writeGgufModel>[2]>, string]>([
    [
      'words',
      async () => ({ tokenizer: await trainWordTokenizer(['guess 12'], { vocabularySize: 260 }) }),
      '`tokenizer: bytes`',
    ],
    [
      'another normalizer',
      () => changed((one) => (one['normalizer'] = { type: 'Lowercase' })),
      'changes texts: {"type":"Lowercase"}',
    ],
    [
      'an unknown pattern',
      () => changed((one) => (one['pre_tokenizer'] = split('\\w+'))),
      'is not known to split words',
    ],
    [
      'merges that are ignored',
      () => changed((one) => ((one['model'] as Json)['ignore_merges'] = true)),
      'ignore_merges true',
    ],
    [
      'tokens that take white space',
      () => changed((one) => ((one['added_tokens'] as Json[])[0]!['lstrip'] = true)),
      'takes white space',
    ],
    ['layers without positions', () => Promise.resolve({ config: { model_type: 'smollm3' } }), 'model_type is smollm3'],
    [
      'stretched angles of qwen',
      () => Promise.resolve({ config: { model_type: 'qwen2' } }),
      'stretches no angles of qwen2',
    ],
  ])('are refused before anything is written: %s', async (_, make, words) => {
    const place = mkdtempSync(join(tmpdir(), 'agentgym-gguf-'));
    await writeGgufModel(join(place, 'model'), 'llama', await make());
    const file = join(place, 'model.gguf');
    const own = { ...settings, dtype: 'float32', name: 'model' } as const;
    await expect(exportGguf(options, join(place, 'model'), file, own, files)).rejects.toThrow(words);
    expect(readdirSync(place)).toEqual(['model']);
  });

  it.each([
    ['qwen2', split("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")], // prettier-ignore
    ['llama-bpe', split("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")], // prettier-ignore
    ['smollm', { type: 'Sequence', pretokenizers: [{ type: 'Digits', individual_digits: true }, { type: 'ByteLevel', add_prefix_space: false, use_regex: true }] }], // prettier-ignore
  ])('name the pre-tokenizer %s', async (pre, given) => {
    const place = mkdtempSync(join(tmpdir(), 'agentgym-gguf-'));
    await writeGgufModel(
      place,
      'qwen2',
      await changed((one) => {
        one['pre_tokenizer'] = given;
        (one['model'] as Json)['ignore_merges'] = pre === 'llama-bpe';
      }),
    );
    const file = join(place, 'model.gguf');
    await exportGguf(options, place, file, { ...settings, dtype: 'float32', name: 'model' }, files);
    expect(readGguf(file).fields.get('tokenizer.ggml.pre')).toBe(pre);
  });
});

type Json = { [key: string]: unknown };

function split(pattern: string): Json {
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return { type: 'Sequence', pretokenizers: [{ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }, bytes] }; // prettier-ignore
}
