import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { describe, expect, it } from 'vitest';

import { friendlyName, parseSpecifier } from './parse-specifier.js';

const cwd = mkdtempSync(join(tmpdir(), 'agentgym-specifier-'));
mkdirSync(join(cwd, 'some', 'plugin'), { recursive: true });
mkdirSync(join(cwd, 'env-grid'));
writeFileSync(join(cwd, 'x.tgz'), '');

describe('parseSpecifier', () => {
  it.each([
    ['env-babyai', ['@agentgym/plugin-env-babyai', 'env-babyai'], 'latest'],
    ['env-babyai@next', ['@agentgym/plugin-env-babyai', 'env-babyai'], 'next'],
    ['@a/b', ['@a/b'], 'latest'],
    ['@a/b@^1.2', ['@a/b'], '^1.2'],
    ['@a/b@>=1 <3', ['@a/b'], '>=1 <3'],
    // A word is a name even if a folder with this name exists.
    ['env-grid', ['@agentgym/plugin-env-grid', 'env-grid'], 'latest'],
  ])('%s is of the registry', (text, names, range) => {
    expect(parseSpecifier(text, cwd)).toEqual({ type: 'registry', names, range });
  });

  it.each([
    ['./some/plugin', 'folder', 'some/plugin'],
    ['some/plugin', 'folder', 'some/plugin'],
    ['some/plugin/', 'folder', 'some/plugin'],
    ['.', 'folder', ''],
    ['x.tgz', 'tarball', 'x.tgz'],
    ['file:x.tgz', 'tarball', 'x.tgz'],
    ['file:./x.tgz', 'tarball', 'x.tgz'],
    [join(cwd, 'x.tgz'), 'tarball', 'x.tgz'],
    [pathToFileURL(join(cwd, 'some/plugin')).href, 'folder', 'some/plugin'],
  ])('%s is a path from the current folder', (text, type, path) => {
    expect(parseSpecifier(text, cwd)).toEqual({ type, path: join(cwd, path) });
  });

  it.each([
    ['git+https://a.org/b.git#v1', 'https://a.org/b.git', 'v1'],
    ['git+ssh://git@a.org/b.git', 'ssh://git@a.org/b.git', ''],
    ['git+file:///a/b.git#semver:^1', 'file:///a/b.git', 'semver:^1'],
    ['https://a.org/b.git#topic/x', 'https://a.org/b.git', 'topic/x'],
    ['git@a.org:b/c.git', 'git@a.org:b/c.git', ''],
    ['https://github.com/user/repo', 'https://github.com/user/repo', ''],
    ['github:user/repo#main', 'https://github.com/user/repo.git', 'main'],
    ['gitlab:group/deep/repo', 'https://gitlab.com/group/deep/repo.git', ''],
    ['user/repo', 'https://github.com/user/repo.git', ''],
  ])('%s is a repository', (text, url, reference) => {
    expect(parseSpecifier(text, cwd)).toEqual({ type: 'repository', url, reference });
  });

  it('takes any other web address for a tarball', () => {
    expect(parseSpecifier('https://a.org/b.tgz', cwd)).toEqual({ type: 'url', url: 'https://a.org/b.tgz' });
  });

  it.each(['./nowhere', 'nowhere.tgz', '/no/where', 'Upper Case', 'foo@npm:bar@1', '../../-x/y z', ''])(
    '%s is refused with what it was taken for',
    (text) => {
      expect(() => parseSpecifier(text, cwd)).toThrow(expect.objectContaining({ code: 'AG_PLUGIN_NOT_FOUND' }));
    },
  );
});

it('friendlyName shortens packages of agentgym alone', () => {
  expect(friendlyName('@agentgym/plugin-env-x')).toBe('env-x');
  expect(friendlyName('@other/plugin-env-x')).toBe('@other/plugin-env-x');
});
