import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { simpleGit } from 'simple-git';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { initProject, type InitRequest } from './init-project.js';
import { hostDependency, packageRoot } from './template.js';
import { writeFiles } from './write-files.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'agentgym-init-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const signal = new AbortController().signal;
const init = (request: Partial<InitRequest> = {}) =>
  initProject({ template: 'recipe', force: false, git: false, cwd, version: '0.1.0', signal, ...request });
const refused = (code: string, message: RegExp): unknown =>
  expect.objectContaining({ code, message: expect.stringMatching(message), hint: expect.stringMatching(/./) });
/** All paths below a folder with their contents; null for a folder. */
async function contents(folder: string): Promise<Record<string, string | null>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const read = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), entry.isFile() ? await readFile(path, 'utf8') : null] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

describe('initProject', () => {
  it('writes to a folder called like the name, without the scope', async () => {
    const { directory, packageName, name, files, next } = await init({ template: 'environment', name: '@me/env-mine' });
    expect([directory, packageName, name]).toEqual([join(cwd, 'env-mine'), '@me/env-mine', 'mine']);
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'LICENSE', 'src/mine.ts', 'src/mine.test.ts']));
    expect(Object.keys(await contents(directory)).sort()).toEqual([...files, 'src'].sort());
    expect(next).toEqual(['cd env-mine && npm install', 'npm test', 'agentgym train --environment mine']);
  });

  // Goes red when a new package depends on a version that is not in the registry yet.
  it('makes packages that depend on the checkout it runs from, and otherwise on its version', async () => {
    await init({ template: 'reward', name: 'reward-mine' });
    const made = JSON.parse(await readFile(join(cwd, 'reward-mine', 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const dependency = made.devDependencies['@agentgym/cli'];
    expect(dependency).toMatch(/^file:\.\.\//);
    expect(resolve(cwd, 'reward-mine', dependency!.slice('file:'.length))).toBe(packageRoot());
    // An installed host has no sources.
    expect(hostDependency(cwd, '0.9.3', join(cwd, 'reward-mine'))).toBe('^0.9.3');
  });

  it('takes the folder for the name, and the current folder where nothing is said', async () => {
    await expect(init({ directory: 'My Tries' })).resolves.toMatchObject({ packageName: 'my-tries' });
    const here = join(cwd, 'env-here');
    await mkdir(here);
    const made = await init({ cwd: here, template: 'environment' });
    expect(made).toMatchObject({ directory: here, packageName: 'env-here', name: 'here' });
    expect(made.next).toEqual(['npm install', 'npm test', 'agentgym train --environment here']);
  });

  it('asks for what was not given, and for nothing else', async () => {
    const asked: unknown[] = [];
    const ask: InitRequest['ask'] = (questions) => {
      asked.push(questions.template, questions.name, questions.suggestName('reward'));
      expect(questions.complaint('No!', 'reward')).toMatch(/capital/);
      expect(questions.complaint('fine', 'reward')).toBeUndefined();
      return Promise.resolve({ template: questions.template ?? 'reward', name: 'reward-asked' });
    };
    const { template: _, ...request } = { template: undefined, name: 'reward-given', ask };
    const made = await initProject({ ...request, force: false, git: false, cwd, version: '0.1.0', signal });
    expect(asked).toEqual([undefined, 'reward-given', 'reward-mine']);
    expect(made).toMatchObject({ template: 'reward', packageName: 'reward-asked' });
    await init({ name: 'both-given', ask: () => expect.unreachable() });
  });

  it('refuses an unknown template with the nearest', async () => {
    await expect(init({ template: 'enviroment' })).rejects.toEqual(
      expect.objectContaining({ code: 'AG_INIT_TEMPLATE', hint: 'Did you mean `--template environment`?' }),
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it('refuses a name under which the template has a file of its own', async () => {
    await expect(init({ template: 'environment', name: 'env-options' })).rejects.toEqual(
      refused('AG_INIT_NAME', /src\/options.ts/),
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it('refuses a folder that is not empty, and says what is in the way', async () => {
    await writeFile(join(cwd, 'notes.txt'), 'mine');
    await mkdir(join(cwd, '.git'));
    await expect(init({ directory: '.' })).rejects.toEqual(
      refused('AG_INIT_TARGET', /not empty: it contains notes.txt$/),
    );
    await rm(join(cwd, 'notes.txt'));
    await expect(init({ directory: '.' })).resolves.toMatchObject({ directory: cwd });
  });

  it('overwrites files of the template with force, and touches no other', async () => {
    await writeFile(join(cwd, 'README.md'), 'old');
    await writeFile(join(cwd, 'notes.txt'), 'mine');
    await init({ directory: '.', name: 'forced', force: true });
    const after = await contents(cwd);
    expect(Object.keys(after).sort()).toEqual(['README.md', 'notes.txt', 'recipe.yaml']);
    expect(after['notes.txt']).toBe('mine');
    expect(after['README.md']).toMatch(/^# forced/);
  });

  it('does not follow a link out of the folder, nor put a file where a folder is', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'agentgym-outside-'));
    await symlink(outside, join(cwd, 'src'));
    const request = { directory: '.', template: 'reward', name: 'reward-mine', force: true };
    await expect(init(request)).rejects.toEqual(refused('AG_INIT_TARGET', /src is not a folder/));
    expect(await readdir(outside)).toEqual([]);
    await rm(join(cwd, 'src'));
    await mkdir(join(cwd, 'package.json'));
    await expect(init(request)).rejects.toEqual(refused('AG_INIT_TARGET', /package.json is not a file/));
    expect(await readdir(cwd)).toEqual(['package.json']);
    await rm(outside, { recursive: true });
  });

  it('refuses a file, and a folder inside of one', async () => {
    await writeFile(join(cwd, 'taken'), '');
    await expect(init({ directory: 'taken' })).rejects.toEqual(refused('AG_INIT_TARGET', /taken is a file/));
    await expect(init({ directory: 'taken/in' })).rejects.toEqual(refused('AG_INIT_TARGET', /taken is a file/));
  });

  it.skipIf(process.getuid?.() === 0)('refuses a folder that cannot be written to', async () => {
    await chmod(cwd, 0o555);
    await expect(init({ directory: 'deep/er' })).rejects.toEqual(refused('AG_INIT_TARGET', /cannot be written to/));
    await chmod(cwd, 0o755);
  });

  it('writes nothing where it was interrupted', async () => {
    const aborted = AbortSignal.abort(new Error('stop'));
    await expect(init({ directory: 'x', signal: aborted })).rejects.toThrow('stop');
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('writeFiles', () => {
  // Goes red when moved files are not removed, or overwritten files are not restored.
  it('leaves everything as it was where one file cannot be written', async () => {
    await writeFile(join(cwd, 'first'), 'old');
    await mkdir(join(cwd, 'b'));
    await writeFile(join(cwd, 'b', 'kept'), 'kept');
    const before = await contents(cwd);
    const files = ['first', 'a/new', 'b/new', 'first/impossible'].map((path) => ({ path, content: 'new' }));
    await expect(writeFiles(cwd, files, signal)).rejects.toEqual(refused('AG_INIT_TARGET', /cannot be written to/));
    expect(await contents(cwd)).toEqual(before);
    const fresh = join(cwd, 'deep', 'fresh');
    const bad = ['x', 'x/impossible'].map((path) => ({ path, content: 'new' }));
    await expect(writeFiles(fresh, bad, signal)).rejects.toThrow();
    expect(existsSync(join(cwd, 'deep'))).toBe(false);
  });
});

describe('with git', () => {
  const environment = { ...process.env };
  afterEach(() => Object.assign(process.env, { HOME: environment['HOME'] }));

  async function home(settings: string): Promise<void> {
    const folder = join(cwd, 'home');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '.gitconfig'), settings);
    process.env['HOME'] = folder;
  }

  it('commits what it made', async () => {
    await home('[user]\n  name = Somebody\n  email = somebody@example.com\n');
    const { git, directory, files } = await init({ template: 'reward', name: 'reward-mine', git: true });
    expect(git).toEqual({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    const repository = simpleGit(directory);
    expect((await repository.status()).isClean()).toBe(true);
    expect((await repository.raw('ls-files')).trim().split('\n').sort()).toEqual([...files].sort());
  });

  it('says what is missing where git does not know the user, and makes nobody up', async () => {
    await home('[user]\n  useConfigOnly = true\n');
    const { git, directory } = await init({ name: 'mine', git: true });
    expect(git).toEqual({ commit: null, note: expect.stringContaining('git config --global user.name') });
    expect((await simpleGit(directory).status()).created.sort()).toEqual(['README.md', 'recipe.yaml']);
  });

  it('begins no repository inside of another', async () => {
    await simpleGit(cwd).init();
    const { git, directory } = await init({ name: 'mine', git: true });
    expect(git).toEqual({ commit: null, note: expect.stringContaining('commit them there') });
    expect(existsSync(join(directory, '.git'))).toBe(false);
  });
});
