import { existsSync } from 'node:fs';

import { optionDefaults, testHost, toolKit } from '@agentgym/cli/testing';
import { afterAll, describe, expect, it } from 'vitest';

import contributions from './index.js';
import { type Options, options as declared } from './options.js';
import * as python from './python.js';
import { readProgram } from './read-program.js';

const options = optionDefaults(declared) as Options;
const host = testHost(1);
const { random, signal } = host;
/** Skipped where there is no sandbox or no Python of the system, except in CI, where they fail. */
const without =
  process.env['CI'] === undefined &&
  (!existsSync('/usr/bin/python3') ||
    (await host.openSandbox().then(
      (one) => one.close(),
      () => 'none',
    )) === 'none');

describe.skipIf(without)('python', () => {
  const calls = ['1/0', 'import os; os._exit(3)', 'while True: pass', 'print("x" * 10**7)', 'x = [0] * 10**9', ''];
  toolKit.describe(
    it,
    { ...python, options: { ...options, seconds: 1 }, contribution: contributions[0]! },
    { calls: calls.map((program) => `<python>${program}</python>`) },
  );

  const opened = python.create({ ...options, seconds: 2 }, host);
  const begin = async () => {
    const tool = await opened;
    const sandbox = await host.openSandbox(tool.sandbox);
    return { sandbox, session: await tool.begin({ random, task: 'a', seed: 1, sandbox }) };
  };
  afterAll(async () => (await opened).dispose?.());

  it('runs programs one after the other, and keeps files, not variables', async () => {
    const { sandbox, session } = await begin();
    const run = async (program: string) => session.run(program, { random, signal });
    expect(await run('print(sum(range(10)))')).toEqual({ output: '45', failed: false });
    expect(await run('open("notes.txt", "w").write("seen"); x = 1')).toEqual({
      output: 'It printed nothing.',
      failed: false,
    });
    expect(await run('print(open("notes.txt").read())')).toEqual({ output: 'seen', failed: false });
    expect(await run('print("before"); print(x)')).toMatchObject({
      output: expect.stringMatching(/^before\nTraceback[\s\S]*NameError: name 'x' is not defined$/) as string,
      failed: true,
    });
    expect(await run('import time; time.sleep(60)')).toEqual({ output: 'error: it was ended after 2 s', failed: true });
    expect(await run('print(input())')).toMatchObject({ output: expect.stringContaining('EOFError') as string });
    expect(await run('import urllib.request; urllib.request.urlopen("http://1.1.1.1", timeout=2)')).toMatchObject({
      output: expect.stringContaining('unreachable') as string,
    });
    await sandbox.close();
  });

  it('is refused at its start where its Python is not', async () => {
    await expect(python.create({ ...options, python: '/opt/none/python3' }, host)).rejects.toThrow(
      '/opt/none/python3 does not run in the sandbox',
    );
  });
});

describe('a program in a text', () => {
  it.each([
    ['I think.\n<python>print(1)\nprint(2)</python>\n', { call: 'print(1)\nprint(2)' }],
    ['First:\n```python\nprint(1)\n```', { call: 'print(1)\n' }],
    ['<python>print(1)', { malformed: '</python> is missing' }],
    ['<python>print(1)</python> and then', { malformed: 'nothing may follow </python>' }],
    ['<python>12345678901</python>', { malformed: 'the program has 11 characters, more than 10' }],
    ['<python>\0</python>', { malformed: 'the program contains a null character' }],
    ['python print(1)', undefined],
  ])('%j', (text, reading) => {
    expect(readProgram(text, text.includes('12345') ? 10 : 1000)).toEqual(reading);
  });
});
