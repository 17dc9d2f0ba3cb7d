import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { hasTerminal, runOnTerminal } from '../terminal.js';
import { bin, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'agentgym-init-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

describe('init', () => {
  it('makes a plugin and prints the next three commands', async () => {
    const { code, stdout } = await runWarm(['init', '--template', 'reward', '--name', 'reward-mine'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Next:\n {2}cd reward-mine && npm install\n {2}npm test\n {2}agentgym train\n$/);
    expect(existsSync(join(cwd, 'reward-mine', 'src', 'mine.ts'))).toBe(true);
  });

  it('answers with one document under --json', async () => {
    const result = await runWarm(['init', 'tries', '--json'], { cwd });
    expect(documentOf(result)).toMatchObject({
      formatVersion: 1,
      template: 'project',
      packageName: 'tries',
      files: expect.arrayContaining(['package.json', 'environments/shelf.ts']),
      git: null,
    });
  });

  it.each([
    ['an unknown template', ['--template', 'enviroment'], 'AG_INIT_TEMPLATE', /--template environment/],
    ['a name that npm does not take', ['--name', 'Mine!'], 'AG_INIT_NAME', /--name/],
    ['a folder that is not empty', ['.'], 'AG_INIT_TARGET', /--force/],
    ['a file', ['notes.txt'], 'AG_INIT_TARGET', /folder/],
  ])('refuses %s with 2 and writes nothing', async (_what, args, code, hint) => {
    await writeFile(join(cwd, 'notes.txt'), 'mine');
    const result = await runWarm(['init', ...args, '--json'], { cwd });
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code, hint: expect.stringMatching(hint) } });
    expect(await readdir(cwd)).toEqual(['notes.txt']);
  });
});

describe.skipIf(!hasTerminal)('init on a terminal', () => {
  const answer = (args: string, turns: Parameters<typeof runOnTerminal>[2]) =>
    runOnTerminal(`"${process.execPath}" "${bin}" init ${args}`, { cwd, environment: freshDataFolders(cwd) }, turns);

  it('asks for template and name', async () => {
    const keys = [
      [/What do you want to create/, '\u001b[B\r'],
      [/What is its name/, '\r'],
    ] as const;
    const { code, shown } = await answer('', keys);
    expect(code, shown).toBe(0);
    expect(existsSync(join(cwd, 'env-mine', 'src', 'mine.ts'))).toBe(true);
  });

  it('asks nothing with --yes', async () => {
    const { code, shown } = await answer('tries --yes', []);
    expect(code, shown).toBe(0);
    expect(shown).not.toMatch(/What do you want to create|What is its name/);
  });

  it('ends with 130 on Ctrl-C, and has written nothing', async () => {
    const { code, shown } = await answer('tries', [[/What do you want to create/, '\u0003']]);
    expect(code, shown).toBe(130);
    expect(shown).toMatch(/nothing was written/);
    expect(existsSync(join(cwd, 'tries'))).toBe(false);
  });
});
