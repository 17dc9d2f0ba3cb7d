import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { ggufFile, writeGgufModel } from '../checkpoint/gguf/fixtures/gguf-models.js';
import { type GgufValue, writeGguf } from '../checkpoint/gguf/gguf-file.js';
import { type ModelFolder, readModelFolder } from '../checkpoint/model-folder.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { exportGguf } from './export-gguf.js';
import { importGguf } from './import-gguf.js';

const { files } = testHost();
const folder = mkdtempSync(join(tmpdir(), 'agentgym-import-'));
const models = new Map<string, ModelFolder>();
const settings = { merge: false, sampling: { temperature: 1, topP: 1, topK: 0 }, signal: new AbortController().signal };
const newFolder = () => mkdtempSync(join(folder, 'made-'));

beforeAll(async () => {
  for (const name of ['llama', 'qwen2', 'qwen3']) {
    models.set(name, await writeGgufModel(join(folder, name), name));
    for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
      const file = ggufFile(folder, name, dtype);
      await exportGguf({ thinking: 'template' }, join(folder, name), file, { ...settings, dtype, name }, files);
    }
  }
});

describe('a model that was exported', () => {
  it.each(['llama', 'qwen2', 'qwen3'])('comes back bit for bit and id for id: %s', async (name) => {
    const back = newFolder();
    await importGguf(ggufFile(folder, name, 'float32'), back, files);
    const [read, own] = [await readModelFolder(files, back), models.get(name)!];
    expect(read.config).toEqual(own.config);
    expect(read.ids).toEqual(own.ids);
    expect([...read.weights.keys()].sort()).toEqual([...own.weights.keys()].sort());
    for (const [weight, { data, shape }] of own.weights) {
      const found = read.weights.get(weight)!;
      expect(found.shape).toEqual(shape);
      expect(Buffer.from(found.data.buffer).equals(Buffer.from(data.buffer)), weight).toBe(true);
    }
    const [theirs, ours] = [read, own].map(({ ids, tokenizer }) =>
      createConversationEncoder(tokenizer, { endIds: ids.eos }),
    );
    for (const content of ['guess 12', 'é 🙂 12345  x\n\n', '<|end|>', 'e\u0301']) {
      expect(theirs!.begin('play', content)).toEqual(ours!.begin('play', content));
    }
  });

  it('keeps numbers of 16 bits as they are', async () => {
    const back = newFolder();
    await importGguf(ggufFile(folder, 'llama', 'bfloat16'), back, files);
    const header = readFileSync(join(back, 'model.safetensors'));
    const length = Number(header.readBigUInt64LE());
    const entries = JSON.parse(header.subarray(8, 8 + length).toString()) as { [name: string]: { dtype?: string } };
    expect(entries['model.layers.0.mlp.up_proj.weight']!.dtype).toBe('BF16');
    expect(entries['model.norm.weight']!.dtype).toBe('F32');
  });
});

describe('a GGUF file', () => {
  const one: GgufValue = { type: 'uint32', value: 1 };
  const good = () => readFileSync(ggufFile(folder, 'llama', 'float32'));
  const withBytes = (change: (bytes: Buffer) => Buffer | void) => {
    const bytes = good();
    const file = join(newFolder(), 'model.gguf');
    writeFileSync(file, change(bytes) ?? bytes);
    return file;
  };
  const made = async (
    metadata: readonly (readonly [string, GgufValue])[],
    tensors: Parameters<typeof writeGguf>[2] = new Map(),
  ) => {
    const file = join(newFolder(), 'model.gguf');
    await writeGguf(file, new Map(metadata), tensors);
    return file;
  };
  const placeOf = (bytes: Buffer, text: string) => bytes.indexOf(text) + text.length;

  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['that is empty', () => withBytes(() => Buffer.alloc(0)), /not a GGUF file/],
    ['of another format', () => withBytes(() => Buffer.from('{"a": 1}')), /does not begin with GGUF/],
    ['cut in its metadata', () => withBytes((bytes) => bytes.subarray(0, 2000)), /truncated/],
    [
      'cut in its numbers',
      () => withBytes((bytes) => bytes.subarray(0, bytes.length - 400)),
      /truncated: .* ends at byte/,
    ],
    [
      'of version 1',
      () => withBytes((bytes) => void bytes.writeUInt32LE(1, 4)),
      /version 1; versions 2 and 3 are read/,
    ],
    ['in big-endian order', () => withBytes((bytes) => void bytes.writeUInt32BE(3, 4)), /big-endian/],
    [
      'with 2^50 tensors',
      () => withBytes((bytes) => void bytes.writeBigUInt64LE(2n ** 50n, 8)),
      /says that it has \d+ tensors/,
    ],
    [
      'with a text of 2 GB',
      () => withBytes((bytes) => void bytes.writeBigUInt64LE(2n ** 31n, placeOf(bytes, 'general.architecture') + 4)),
      /general.architecture has 2147483648 bytes/,
    ],
    [
      'with an unknown type',
      () => withBytes((bytes) => void bytes.writeUInt32LE(16, placeOf(bytes, 'output_norm.weight') + 4 + 8)),
      /output_norm.weight has the type IQ2_XXS; supported: F32, F16/,
    ],
    [
      'with sizes that lie',
      () => withBytes((bytes) => void bytes.writeBigUInt64LE(2n ** 40n, placeOf(bytes, 'output_norm.weight') + 4)),
      /truncated: output_norm.weight ends at byte \d+ of/,
    ],
    [
      'with two tensors of one name',
      () => withBytes((bytes) => void bytes.write('blk.0.ffn_gate.bias', bytes.indexOf('blk.0.attn_q.weight'))),
      /two tensors have the name blk.0.ffn_gate.bias|has no tensor/,
    ],
    ['of a part of a model', () => made([['split.count', { ...one, value: 3 }]]), /one of 3 parts/],
    [
      'without an architecture',
      () => made([['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }]]),
      /tokenizer.ggml.pre/,
    ],
    ['without a tokenizer', () => made([['general.architecture', { type: 'string', value: 'llama' }]]), /no tokenizer/],
  ])('%s is refused', async (_, file, message) => {
    const directory = newFolder();
    await expect(importGguf(await file(), directory, files)).rejects.toThrow(message);
  });

  it('of a folder or of a pipe is refused', async () => {
    const directory = join(newFolder(), 'x.gguf');
    mkdirSync(directory);
    await expect(importGguf(directory, newFolder(), files)).rejects.toThrow('is a folder, not a file');
  });
});
