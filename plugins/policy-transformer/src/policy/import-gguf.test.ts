import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { ggufFile, writeGgufModel } from '../checkpoint/gguf/fixtures/gguf-models.js';
import { readGguf } from '../checkpoint/gguf/fixtures/read-gguf.js';
import { type GgufValue, writeGguf } from '../checkpoint/gguf/gguf-file.js';
import { type ModelFolder, readModelFolder } from '../checkpoint/fixtures/model-folders.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { exportGguf } from './export-gguf.js';
import { policyOpener } from './fixtures/policy-opener.js';
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

/** A value as `writeGguf` takes it. */
function valueOf(value: unknown): GgufValue {
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'uint32' : 'float32', value };
  const list = value as readonly string[] | readonly number[];
  return typeof list[0] === 'number'
    ? { type: 'int32s', value: list as readonly number[] }
    : { type: 'strings', value: list as readonly string[] };
}

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

  /** The file of a model, with other metadata and numbers. */
  const changed = async (
    fields: { readonly [name: string]: GgufValue | undefined },
    numbers: { readonly [name: string]: (values: Float32Array) => void } = {},
    more: Parameters<typeof writeGguf>[2] = new Map(),
  ) => {
    const read = readGguf(ggufFile(folder, 'llama', 'float32'));
    const metadata = new Map<string, GgufValue | undefined>(
      [...read.fields].filter(([name]) => !name.startsWith('GGUF.')).map(([name, value]) => [name, valueOf(value)]),
    );
    for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
    const tensors = new Map(
      [...read.tensors].map(([name, { sizes, values }]) => {
        const data = Float32Array.from(values);
        numbers[name]?.(data);
        return [name, { shape: sizes.toReversed(), type: 'F32' as const, pieces: () => [data] }];
      }),
    );
    const given = [...metadata].filter((entry): entry is [string, GgufValue] => entry[1] !== undefined);
    return made(given, new Map([...tensors, ...more]));
  };
  const int = (value: number): GgufValue => ({ type: 'uint32', value });
  const string = (value: string): GgufValue => ({ type: 'string', value });
  const tokens = () => readGguf(ggufFile(folder, 'llama', 'float32')).fields.get('tokenizer.ggml.tokens') as string[];
  const factors = (length: number) =>
    new Map([
      [
        'rope_freqs.weight',
        { shape: [length], type: 'F32' as const, pieces: () => [new Float32Array(length).fill(1)] },
      ],
    ]);

  it.each<[string, () => Promise<string>, RegExp]>([
    [
      'a number that is none',
      () => changed({}, { 'blk.0.ffn_up.weight': (values) => void (values[5] = NaN) }),
      /model.gguf: blk.0.ffn_up.weight contains NaN at place 5/,
    ],
    [
      'more layers than tensors',
      () => changed({ 'llama.block_count': int(4e9) }),
      /llama.block_count is 4000000000, and it has tensors of 1 layers/,
    ],
    [
      'no heads',
      () => changed({ 'llama.attention.head_count': int(0), 'llama.attention.key_length': undefined }),
      /head|num_attention_heads/,
    ],
    [
      'heads for each layer',
      () => changed({ 'llama.attention.head_count_kv': { type: 'int32s', value: [1, 2] } }),
      /num_key_value_heads must be a positive whole number/,
    ],
    [
      'a width of a head of 0',
      () => changed({ 'llama.attention.key_length': int(0) }),
      /key_length|value_length is 16, and only 0/,
    ],
    [
      'angles of other lengths',
      () => changed({ 'llama.rope.dimension_count': int(8) }),
      /llama.rope.dimension_count is 8, and only 16/,
    ],
    ['too many factors of angles', () => changed({}, {}, factors(70_000)), /rope_freqs.weight has the shape \[70000\]/],
    ['factors of another model', () => changed({}, {}, factors(7)), /rope_freqs.weight is not the scaling of Llama 3/],
    [
      'stretched angles',
      () => changed({ 'llama.rope.scaling.type': string('yarn') }),
      /llama.rope.scaling.type is "yarn"; supported: "none"/,
    ],
    [
      'a stretching factor',
      () => changed({ 'llama.rope.scaling.factor': int(2) }),
      /llama.rope.scaling.factor is 2; supported: 1/,
    ],
    [
      'an old stretching factor',
      () => changed({ 'llama.rope.scale_linear': int(4) }),
      /llama.rope.scale_linear is 4; supported: 1/,
    ],
    [
      'a merge of a token that is absent',
      () => changed({ 'tokenizer.ggml.merges': { type: 'strings', value: ['g u', 'zz zz'] } }),
      /tokenizer.ggml.merges\[\d\] is "[a-z ]+", and the vocabulary has no token/,
    ],
    [
      'a merge of one token',
      () => changed({ 'tokenizer.ggml.merges': { type: 'strings', value: ['gu'] } }),
      /tokenizer.ggml.merges\[0\] is "gu", not two tokens/,
    ],
    [
      'two equal tokens',
      () => changed({ 'tokenizer.ggml.tokens': { type: 'strings', value: tokens().with(9, tokens()[8]!) } }),
      /the tokens 8 and 9 are both/,
    ],
    [
      'an end token outside',
      () => changed({ 'tokenizer.ggml.eos_token_id': int(270) }),
      /tokenizer.ggml.eos_token_id is 270, and the vocabulary has 270 tokens/,
    ],
    [
      'a first token outside',
      () => changed({ 'tokenizer.ggml.bos_token_id': int(4e9) }),
      /tokenizer.ggml.bos_token_id is 4000000000/,
    ],
    [
      'more tokens than rows',
      () =>
        changed({
          'tokenizer.ggml.tokens': { type: 'strings', value: [...tokens(), 'x'] },
          'tokenizer.ggml.token_type': { type: 'int32s', value: Array<number>(271).fill(5) },
          'tokenizer.ggml.merges': { type: 'strings', value: [] },
        }),
      /has 270 rows, and the vocabulary 271 tokens/,
    ],
    ['no chat template', () => changed({ 'tokenizer.chat_template': undefined }), /model.gguf: .*chat template/],
    [
      'a template that reaches outside',
      () => changed({ 'tokenizer.chat_template': string("{{ ''.constructor.constructor('return process')() }}") }),
      /model.gguf: /,
    ],
  ])('with %s is refused', { timeout: 120_000 }, async (_, file, message) => {
    const directory = newFolder();
    await expect(importGguf(await file(), directory, files)).rejects.toThrow(message);
  });

  describe('whose end of a text is not what its template ends a turn with', () => {
    const open = policyOpener({ threads: 1 });
    const imported = async (file: string) => {
      const back = newFolder();
      await importGguf(file, back, files);
      const policy = await open({}, { from: back, maxTokens: 64 });
      const { encoder } = policy;
      const request = {
        ...{ tokens: encoder.begin('', 'guess 12'), sequence: '1', endIds: encoder.endIds },
        ...{ maxTokens: 5, draws: new Float64Array(5).fill(0.5) },
      };
      const [answer] = await policy.generate([request], { temperature: 0, topP: 1, topK: 0 });
      return { back, endIds: encoder.endIds, tokens: [...answer!.tokens] };
    };

    // Goes red when the ids of the file, or the one of the template, are forgotten on the way.
    it('ends an action at both, also after an export', { timeout: 60_000 }, async () => {
      const plain = await imported(await changed({}));
      expect(plain.endIds).toEqual([0]);
      const [first] = plain.tokens;
      expect(plain.tokens.length).toBeGreaterThan(1);
      const { back, endIds, tokens } = await imported(await changed({ 'tokenizer.ggml.eos_token_id': int(first!) }));
      expect(endIds).toEqual([0, first]);
      expect(tokens).toEqual([first]);
      const file = join(newFolder(), 'again.gguf');
      await exportGguf({ thinking: 'template' }, back, file, { ...settings, dtype: 'float32', name: 'again' }, files);
      const again = await imported(file);
      expect({ ...again, back }).toEqual({ back, endIds, tokens });
    });

    it('is not exported with more ends than a file can name', async () => {
      const many = join(newFolder(), 'many');
      await writeGgufModel(many, 'llama');
      const generation = join(many, 'generation_config.json');
      writeFileSync(generation, JSON.stringify({ eos_token_id: [0, 5, 6, 7] }));
      const file = join(newFolder(), 'many.gguf');
      await expect(
        exportGguf({ thinking: 'template' }, many, file, { ...settings, dtype: 'float32', name: 'many' }, files),
      ).rejects.toThrow(/4 ids end an action \(0, 5, 6, 7\)/);
      expect(existsSync(file)).toBe(false);
    });
  });

  it('of a folder or of a pipe is refused', async () => {
    const directory = join(newFolder(), 'x.gguf');
    mkdirSync(directory);
    await expect(importGguf(directory, newFolder(), files)).rejects.toThrow('is a folder, not a file');
  });
});
