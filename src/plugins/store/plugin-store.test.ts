import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, vi } from 'vitest';

import { ownIdentity } from '../../processes/process-identity.js';
import { changePlugins, packageFolder, readStoredPlugins, type PluginStore } from './plugin-store.js';

function newStore(signal = new AbortController().signal): PluginStore & { readonly notes: string[] } {
  const notes: string[] = [];
  const dataDirectory = join(mkdtempSync(join(tmpdir(), 'agentgym-store-')), 'data');
  const host = { root: '/nowhere', version: '0.1.0', plugins: [] };
  return { dataDirectory, host, signal, note: (line) => notes.push(line), notes };
}

/** Adds a package by hand, as an install would. */
function add(store: PluginStore, name: string): Promise<string> {
  return changePlugins(store, async ({ plugins, stage }) => {
    const generation = await stage();
    const root = packageFolder(generation, name);
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'package.json'), JSON.stringify({ name }));
    const moved = plugins.map((plugin) => ({ ...plugin, root: packageFolder(generation, plugin.name) }));
    return { plugins: [...moved, { name, type: 'user', tag: 'latest', root }], result: generation };
  });
}

it('a change works on a copy, and the folder before it stays until the next change', async () => {
  const store = newStore();
  const first = await add(store, '@a/one');
  const second = await add(store, 'two');
  expect(existsSync(packageFolder(second, '@a/one'))).toBe(true);
  expect(existsSync(first)).toBe(true);
  await add(store, 'three');
  expect(existsSync(first)).toBe(false);
  expect(
    (await readStoredPlugins(store.dataDirectory)).map(({ name, root }) => [name, existsSync(root ?? '')]),
  ).toEqual([
    ['@a/one', true],
    ['two', true],
    ['three', true],
  ]);
});

// Goes red when `staged` is not removed in changePlugins, or the list is written before the end.
it('a change that fails leaves list and folders as they were', async () => {
  const store = newStore();
  await add(store, 'one');
  const list = join(store.dataDirectory, 'package.json');
  const before = [readFileSync(list, 'utf8'), readdirSync(join(store.dataDirectory, 'installed'))];
  const failing = changePlugins(store, async ({ stage }) => {
    await stage();
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect([readFileSync(list, 'utf8'), readdirSync(join(store.dataDirectory, 'installed'))]).toEqual(before);
});

it('what a killed change left behind goes with the next one; other content of the data folder stays', async () => {
  const store = newStore();
  await add(store, 'one');
  const left = join(store.dataDirectory, 'installed', 'left-behind');
  mkdirSync(left);
  writeFileSync(join(store.dataDirectory, 'other'), '');
  await changePlugins(store, () => Promise.resolve({ result: undefined }));
  expect(existsSync(left)).toBe(false);
  expect(existsSync(join(store.dataDirectory, 'other'))).toBe(true);
});

it('a second change waits for the first and says for whom; an interruption ends the wait', async () => {
  const controller = new AbortController();
  const store = newStore(controller.signal);
  const order: string[] = [];
  let slow = Promise.resolve();
  await new Promise<void>((begun) => {
    slow = changePlugins(store, async () => {
      order.push('first begins');
      begun();
      await vi.waitFor(() => expect(store.notes).not.toEqual([]), { timeout: 10_000 });
      order.push('first ends');
      return { result: undefined };
    });
  });
  await changePlugins(store, () => Promise.resolve({ result: order.push('second') }));
  await slow;
  expect(order).toEqual(['first begins', 'first ends', 'second']);
  expect(store.notes).toEqual([expect.stringContaining(`process ${process.pid} is changing the plugins`)]);

  const held = join(store.dataDirectory, 'installed', 'lock.1.json');
  writeFileSync(held, JSON.stringify(ownIdentity()));
  setTimeout(() => controller.abort(new Error('enough')), 100);
  await expect(add(store, 'one')).rejects.toThrow('enough');
});

it('keeps what else the list holds, reads lists of oclif, and names a damaged one', async () => {
  const store = newStore();
  mkdirSync(store.dataDirectory);
  const list = join(store.dataDirectory, 'package.json');
  writeFileSync(list, JSON.stringify({ dependencies: { a: '1' }, oclif: { schema: 1, plugins: ['a'] } }));
  await add(store, 'b');
  expect(JSON.parse(readFileSync(list, 'utf8'))).toMatchObject({ dependencies: { a: '1' } });
  expect((await readStoredPlugins(store.dataDirectory)).map(({ name }) => name)).toEqual(['a', 'b']);
  writeFileSync(list, '{');
  await expect(readStoredPlugins(store.dataDirectory)).rejects.toMatchObject({
    code: 'AG_PLUGIN_INSTALL_FAILED',
    file: list,
  });
});

it('a data folder that cannot be made is named', async () => {
  const store = newStore();
  writeFileSync(store.dataDirectory, 'a file');
  await expect(add(store, 'one')).rejects.toMatchObject({
    code: 'AG_PLUGIN_INSTALL_FAILED',
    message: expect.stringContaining(store.dataDirectory) as unknown,
  });
});
