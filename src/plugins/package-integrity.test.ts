import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { packageIntegrity } from './package-integrity.js';

type Files = Readonly<Record<string, string>>;

function folder(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'agentgym-integrity-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const manifest = (more: object = {}) =>
  JSON.stringify({ name: 'a', version: '1.0.0', agentgym: { apiVersion: 1, plugin: './dist/index.js' }, ...more });
const published: Files = {
  'package.json': manifest({ files: ['/dist/**/*.js', '!dist/*.test.js'] }),
  'dist/index.js': '1',
  'dist/deep/x.js': '2',
};

const integrity = (files: Files) => packageIntegrity({ root: folder(files) });

describe('packageIntegrity', () => {
  it('is a hash in the form of npm, the same for the same files in any folder', async () => {
    const first = await integrity(published);
    expect(first).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(await integrity(published)).toBe(first);
  });

  // Goes red when the hash leaves out the length, the path or package.json.
  it.each([
    ['a byte', { ...published, 'dist/deep/x.js': '3' }],
    ['a file more', { ...published, 'dist/deep/y.js': '' }],
    ['another name', { 'package.json': published['package.json'] ?? '', 'dist/index.js': '1', 'dist/deep/z.js': '2' }],
    ['bytes that move from one file to the next', { ...published, 'dist/deep/x.js': '', 'dist/index.js': '12' }],
    ['package.json', { ...published, 'package.json': manifest({ version: '1.0.1', files: ['/dist/**/*.js'] }) }],
  ])('changes with %s', async (_, files) => {
    expect(await integrity(files)).not.toBe(await integrity(published));
  });

  it('does not see what is not published, nor what other packages hold: a link and its tarball are the same', async () => {
    const root = folder({
      ...published,
      'src/index.ts': '1',
      'dist/index.js.map': '{}',
      'dist/index.test.js': 'test',
      'node_modules/b/index.js': 'b',
      'dist/node_modules/c/index.js': 'c',
      '.git/HEAD': 'ref',
      'runs/1/manifest.json': '{}',
    });
    symlinkSync(join(root, 'src/index.ts'), join(root, 'dist/link.js'));
    expect(await packageIntegrity({ root })).toBe(await integrity(published));
  });

  // Goes red when a package without `files` is hashed whole: a project's runs would change it at every step.
  it('of a package without `files` is of the folder that its entry lies in', async () => {
    const project = { 'package.json': manifest(), 'dist/index.js': '1' };
    const before = await integrity(project);
    expect(await integrity({ ...project, 'runs/1/metrics.jsonl': '{}', 'recipe.yaml': 'a: 1' })).toBe(before);
    expect(await integrity({ ...project, 'dist/other.js': '1' })).not.toBe(before);
  });

  it('of a package whose entry lies at its top is of the files there, and of its entry in any case', async () => {
    const top = { 'package.json': manifest({ agentgym: { plugin: './index.js' } }), 'index.js': '1', 'coin.js': '2' };
    const before = await integrity(top);
    expect(await integrity({ ...top, 'coin.js': '3' })).not.toBe(before);
    expect(await integrity({ ...top, 'lib/deep/coin.js': '3' })).not.toBe(before);
    expect(await integrity({ ...top, 'runs/1/metrics.jsonl': '{}', '.idea/x': '1' })).toBe(before);
    const unlisted = { 'package.json': manifest({ files: ['lib'] }), 'dist/index.js': '1' };
    expect(await integrity({ ...unlisted, 'dist/index.js': '2' })).not.toBe(await integrity(unlisted));
    expect(await integrity({ ...unlisted, 'lib/{a}.js': '2' })).not.toBe(await integrity(unlisted));
  });
});
