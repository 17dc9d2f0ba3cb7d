import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { hubAccess } from '../../src/hub/hub-access.js';
import { pullModel, type PullSettings } from '../../src/hub/pull-model.js';
import { findPulledModel } from '../../src/hub/pulled-model.js';
import type { TransferEvent } from '../../src/transfers/transfer-event.js';
import { type Files, type LoopbackHub, startHub } from './loopback-hub.js';

const bytes = (length: number, seed: number) => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * seed) % 251));
const index = { weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' } };
const files: Files = {
  '.gitattributes': Buffer.from('x'),
  'README.md': Buffer.from('# a card'),
  LICENSE: Buffer.from('terms'),
  'config.json': Buffer.from('{}'),
  'generation_config.json': Buffer.from('{}\n'),
  'tokenizer.json': bytes(5000, 3),
  'tokenizer_config.json': Buffer.from('{"a": 1}'),
  'chat_template.jinja': Buffer.from('{{ x }}'),
  'empty.txt': Buffer.alloc(0),
  'pytorch_model.bin': bytes(1000, 5),
  'consolidated.safetensors': bytes(1000, 5),
  'model.safetensors': bytes(300_000, 7),
};
const wanted = [
  'LICENSE',
  'chat_template.jinja',
  'config.json',
  'generation_config.json',
  'model.safetensors',
  'pulled.json',
  'tokenizer.json',
  'tokenizer_config.json',
];
const model = 'somebody/small';

let hub: LoopbackHub;
let cache = '';
beforeAll(async () => void (hub = await startHub()));
afterAll(() => hub.close());
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'agentgym-pull-'));
  hub.repositories.clear();
  hub.add(model, files, { license: 'apache-2.0' });
  hub.faults.length = 0;
  hub.requests.length = 0;
});

const pull = (settings: Partial<PullSettings> = {}, environment: { [name: string]: string } = {}) =>
  pullModel({
    model,
    cacheDirectory: cache,
    hub: hubAccess({ HF_ENDPOINT: hub.endpoint, ...environment }, new AbortController().signal, () => {}),
    onEvent: () => undefined,
    ...settings,
  });
const sent = (name: string) => hub.requests.filter(({ url }) => url.endsWith(name)).length;
const large = () => hub.requests.filter(({ server }) => server === 'store');
const folder = () => join(cache, 'models', 'somebody', 'small');
/** Faster than a comparison of elements. */
const expectContent = (path: string, content: Buffer | undefined) =>
  expect(readFileSync(path).equals(content!), path).toBe(true);

describe('pullModel', () => {
  it('fetches what a model needs and nothing else, and finds it by its name', async () => {
    const events: TransferEvent[] = [];
    const pulled = await pull({ onEvent: (event) => events.push(event) });
    expect(pulled).toMatchObject({ model, folder: folder(), outcome: 'pulled', license: 'apache-2.0' });
    expect(readdirSync(folder()).sort()).toEqual(wanted);
    for (const name of wanted) {
      if (name !== 'pulled.json') expectContent(join(folder(), name), files[name]);
    }
    expect(findPulledModel(cache, model)).toBe(folder());
    expect(readdirSync(join(folder(), '..'))).toEqual(['small']);
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(wanted.length - 1);
  });

  it('fetches the shards that the index names', async () => {
    const { 'model.safetensors': weights, ...others } = files;
    hub.add(model, {
      ...others,
      'model.safetensors.index.json': Buffer.from(JSON.stringify(index)),
      'model-00001-of-00002.safetensors': weights!,
      'model-00002-of-00002.safetensors': bytes(10, 3),
      'model-00003-of-00003.safetensors': bytes(10, 4),
    });
    await pull();
    expect(readdirSync(folder()).filter((name) => name.includes('model'))).toEqual([
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
      'model.safetensors.index.json',
    ]);
  });

  it('fetches an adapter without its base, and names that', async () => {
    const adapter: Files = {
      'README.md': Buffer.from('# a card'),
      'adapter_config.json': Buffer.from('{"peft_type": "LORA", "base_model_name_or_path": "somebody/small"}'),
      'adapter_model.safetensors': bytes(2000, 7),
      'optimizer.pt': bytes(1000, 5),
      'tokenizer_config.json': Buffer.from('{}'),
    };
    hub.add('somebody/adapter', adapter);
    const pulled = await pull({ model: 'somebody/adapter' });
    expect(pulled).toMatchObject({ base: 'somebody/small', outcome: 'pulled' });
    expect(readdirSync(pulled.folder).sort()).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
      'pulled.json',
      'tokenizer_config.json',
    ]);
    expect(await pull({ model: 'somebody/adapter' })).toMatchObject({ base: 'somebody/small', outcome: 'present' });
    hub.add('somebody/both', { ...files, 'adapter_config.json': adapter['adapter_config.json']! });
    const both = await pull({ model: 'somebody/both' });
    expect(both).not.toHaveProperty('base');
    expect(readdirSync(both.folder).sort()).toEqual(wanted);
    const { 'adapter_model.safetensors': _, 'optimizer.pt': __, ...without } = adapter;
    hub.add('somebody/pickled', { ...without, 'adapter_model.bin': bytes(10, 3) });
    await expect(pull({ model: 'somebody/pickled' })).rejects.toThrow(
      'it has no adapter_model.safetensors, only adapter_model.bin, which agentgym does not open',
    );
  });

  it('checks a complete folder, and fetches only what is damaged in it', async () => {
    await pull();
    hub.requests.length = 0;
    expect(await pull()).toMatchObject({ outcome: 'present' });
    expect(large()).toEqual([]);
    writeFileSync(join(folder(), 'tokenizer.json'), bytes(5000, 4));
    expect(await pull()).toMatchObject({ outcome: 'pulled' });
    expect([sent('tokenizer.json'), large()]).toEqual([1, []]);
    expectContent(join(folder(), 'tokenizer.json'), files['tokenizer.json']);
  });

  it('replaces an older commit', async () => {
    const { commit } = await pull();
    hub.add(model, { ...files, 'model.safetensors': bytes(1000, 11) });
    const newer = await pull({ revision: 'main' });
    expect(newer.commit).not.toBe(commit);
    expectContent(join(folder(), 'model.safetensors'), bytes(1000, 11));
    expect(readdirSync(join(folder(), '..'))).toEqual(['small']);
  });

  // Goes red when `fetchFile` ignores the bytes of an earlier attempt, or trusts them.
  it.each(['good', 'damaged'])('goes on after an earlier process, whose bytes were %s', async (kind) => {
    hub.faults.push({ match: /^\/\w{64}$/, times: 1, kind: 'cut', bytes: 200_000 });
    const interrupt = new AbortController();
    const access = hubAccess({ HF_ENDPOINT: hub.endpoint }, interrupt.signal, () => {});
    const onEvent = (event: TransferEvent) => {
      if (event.type === 'progress' && event.name === 'model.safetensors') interrupt.abort(new Error('stopped'));
    };
    await expect(pull({ hub: access, onEvent })).rejects.toThrow('stopped');
    expect(existsSync(folder())).toBe(false);
    const partial = `${folder()}.partial`;
    const rest = readdirSync(partial).find((name) => name.endsWith('.incomplete'))!;
    writeFileSync(join(partial, rest), files['model.safetensors']!.subarray(0, 100_000));
    if (kind === 'damaged') writeFileSync(join(partial, rest), bytes(100_000, 99));
    hub.requests.length = 0;
    await pull();
    const ranges = kind === 'good' ? ['bytes=100000-'] : ['bytes=100000-', undefined];
    expect(large().map(({ range }) => range)).toEqual(ranges);
    expect(sent('tokenizer.json')).toBe(0);
    expect(readdirSync(folder()).sort()).toEqual(wanted);
    expectContent(join(folder(), 'model.safetensors'), files['model.safetensors']);
  });

  it('goes on when connections are cut, also with a server that knows no ranges', async () => {
    hub.faults.push({ match: /^\/\w{64}$/, times: 2, kind: 'cut', bytes: 70_000 });
    hub.faults.push({ match: /^\/\w{64}$/, times: 1, kind: 'no-ranges' });
    await pull();
    expect(large().map(({ range }) => range)).toEqual([undefined, 'bytes=70000-', 'bytes=140000-']);
    expectContent(join(folder(), 'model.safetensors'), files['model.safetensors']);
  });

  it('waits for a busy server, for the list and for files', async () => {
    hub.faults.push({ match: /\/tree\//, times: 2, status: 429 });
    hub.faults.push({ match: /resolve.*config.json$/, times: 2, status: 503 });
    await pull();
    expect(readdirSync(folder()).sort()).toEqual(wanted);
  });

  it('gives up after five failures in a row, and keeps what it has', async () => {
    hub.faults.push({ match: /^\/\w{64}$/, times: 99, status: 502 });
    await expect(pull()).rejects.toMatchObject({
      code: 'AG_TRANSFER_FAILED',
      message: expect.stringMatching(/^model.safetensors could not be downloaded: 127.0.0.1.* status 502/) as string,
    });
    expect(large()).toHaveLength(5);
    expect(existsSync(folder())).toBe(false);
  });

  // Goes red without the comparison of hashes in `fetchFile`.
  it('never shows a folder with content that the hub did not announce', async () => {
    hub.faults.push({ match: /^\/\w{64}$/, times: 99, kind: 'damage' });
    await expect(pull()).rejects.toMatchObject({ code: 'AG_TRANSFER_DAMAGED' });
    hub.faults.length = 0;
    rmSync(`${folder()}.partial`, { recursive: true });
    hub.faults.push({ match: /resolve.*tokenizer.json$/, times: 99, kind: 'damage' });
    await expect(pull()).rejects.toMatchObject({ code: 'AG_TRANSFER_DAMAGED' });
    expect(existsSync(folder())).toBe(false);
    hub.faults.length = 0;
    await pull();
    expect(readdirSync(folder()).sort()).toEqual(wanted);
  });

  it('writes into no folder and no file to which somebody put a link', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'agentgym-elsewhere-'));
    mkdirSync(join(folder(), '..'), { recursive: true });
    symlinkSync(elsewhere, `${folder()}.partial`);
    await expect(pull()).rejects.toMatchObject({
      code: 'AG_FILE_FAILED',
      message: expect.stringContaining('is a link to another place') as string,
    });
    expect(readdirSync(elsewhere)).toEqual([]);
    rmSync(`${folder()}.partial`);
    mkdirSync(`${folder()}.partial`);
    for (const name of ['config.json', 'pulled.json']) {
      writeFileSync(join(elsewhere, name), 'precious');
      symlinkSync(join(elsewhere, name), join(`${folder()}.partial`, name));
    }
    await pull();
    expect(readFileSync(join(folder(), 'config.json'))).toEqual(files['config.json']);
    for (const name of readdirSync(folder())) expect(lstatSync(join(folder(), name)).isFile()).toBe(true);
    for (const name of ['config.json', 'pulled.json']) {
      expect(readFileSync(join(elsewhere, name), 'utf8')).toBe('precious');
    }
  });

  it('sends the token to the hub only, and says how to get one', async () => {
    const token = 'hf_secret';
    hub.add(model, files, { token });
    await expect(pull()).rejects.toMatchObject({
      code: 'AG_TRANSFER_REFUSED',
      message: expect.stringMatching(/refuses model somebody\/small without a token \(HF_TOKEN is not set\)/) as string,
      hint: expect.stringMatching(/set HF_TOKEN/) as string,
    });
    const error = (await pull({}, { HF_TOKEN: 'hf_wrong' }).catch((caught: unknown) => caught)) as Error;
    expect(error).toMatchObject({ code: 'AG_TRANSFER_REFUSED' });
    expect(JSON.stringify(error) + error.message).not.toContain('hf_wrong');
    hub.requests.length = 0;
    await pull({}, { HF_TOKEN: token });
    const authorized = (server: string) =>
      new Set(hub.requests.filter((request) => request.server === server).map(({ authorization }) => authorization));
    expect([authorized('hub'), authorized('store')]).toEqual([new Set([`Bearer ${token}`]), new Set([undefined])]);
    expect(readFileSync(join(folder(), 'pulled.json'), 'utf8')).not.toContain(token);
  });

  it.each<[string, Partial<PullSettings>, string, RegExp]>([
    ['an unknown model', { model: 'a/b' }, 'AG_TRANSFER_NOT_FOUND', /has no model a\/b\.$/],
    [
      'an unknown revision',
      { revision: 'v9' },
      'AG_TRANSFER_NOT_FOUND',
      /no model somebody\/small with the revision v9/,
    ],
    ['a name that is none', { model: '../x' }, 'AG_COMMAND_USAGE', /is not the name of a model/],
    ['a name that is a path', { model: 'a/b/c' }, 'AG_COMMAND_USAGE', /is not the name of a model/],
  ])('refuses %s', async (_, settings, code, message) => {
    await expect(pull(settings)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(readdirSync(cache)).toEqual([]);
  });

  it.each<[string, Files, RegExp]>([
    ['no tokenizer', { ...files, 'tokenizer.json': undefined! }, /no tokenizer.json/],
    [
      'only a pickle file',
      { ...files, 'model.safetensors': undefined! },
      /only pytorch_model.bin, which agentgym does/,
    ],
    [
      'an index that leaves the folder',
      {
        ...files,
        'model.safetensors': undefined!,
        'model.safetensors.index.json': Buffer.from('{"weight_map": {"a": "../a.safetensors"}}'),
      },
      /index.json cannot be read, or does not name safetensors files/,
    ],
    [
      'an index that names a missing shard',
      {
        ...files,
        'model.safetensors': undefined!,
        'model.safetensors.index.json': Buffer.from(JSON.stringify(index)),
      },
      /lacks model-00001-of-00002.safetensors, which model.safetensors.index.json names/,
    ],
  ])('refuses a model with %s', async (_, given, message) => {
    hub.add(model, Object.fromEntries(Object.entries(given).filter(([, content]) => content !== undefined)));
    await expect(pull()).rejects.toMatchObject({
      code: 'AG_MODEL_UNUSABLE',
      message: expect.stringMatching(message) as string,
    });
    expect(existsSync(folder())).toBe(false);
  });

  it('writes into a new or empty folder, and never over other content', async () => {
    const output = join(cache, 'here');
    mkdirSync(output);
    await pull({ output });
    expect(readdirSync(output).sort()).toEqual(wanted);
    truncateSync(join(output, 'model.safetensors'), 10);
    await pull({ output });
    expectContent(join(output, 'model.safetensors'), files['model.safetensors']);
    writeFileSync(join(cache, 'file.txt'), 'mine');
    await expect(pull({ output: cache })).rejects.toMatchObject({ code: 'AG_OUTPUT_EXISTS' });
  });

  it('says that a hub is not there, and which setting is wrong', async () => {
    const gone = await startHub();
    await gone.close();
    await expect(pull({}, { HF_ENDPOINT: gone.endpoint })).rejects.toMatchObject({
      code: 'AG_TRANSFER_FAILED',
      message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/) as string,
    });
    for (const environment of [{ HF_ENDPOINT: 'huggingface' }, { HF_TOKEN: 'secret' }])
      expect(() => hubAccess(environment, new AbortController().signal, () => {})).toThrow(/^HF_\w+ is not a/);
  });
});
