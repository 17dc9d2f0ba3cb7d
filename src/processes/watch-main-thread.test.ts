import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { afterEach, expect, inject, it, vi } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/busy-main-thread.js', import.meta.url));
const lines = readFileSync(fixture, 'utf8').split('\n');
/** The place of a piece of the fixture, as the watchdog prints it. */
const placeOf = (code: string) => `${fixture}:${lines.findIndex((line) => line.includes(code)) + 1}`;

const started: ChildProcess[] = [];
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

function start(how: string, ...flags: string[]) {
  const child = spawn(process.execPath, [...flags, fixture, how], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (data) => (said[name] += String(data)));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const hears = (text: string) =>
    vi.waitFor(() => expect(said.stderr).toContain(text), { timeout: 10_000, interval: 20 });
  return { child, said, ended, hears };
}

const warning = 'environment slow has been in step for 0.5 seconds';

it.each([
  ['loops', 'for (;;);'],
  ...(inject('long') ? [['microtasks', 'for (;;) await null']] : []),
  ['backtracks', '/^(a+)+$/.test'],
] as [string, string][])(
  'names a call that %s and where it runs, once, and Ctrl-C ends the process then',
  async (how, code) => {
    const { child, said, ended, hears } = start(how);
    await hears('Ctrl-C ends it.');
    // A second warning would come in this time.
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(said.stderr).toBe(`\n${warning}, at ${placeOf(code)}. Ctrl-C ends it.\n`);
    const begun = performance.now();
    child.kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(said.stdout).toBe('begins\n');
  },
);

it('puts the listeners back when the call ends after all', async () => {
  const { child, said, ended, hears } = start('ends');
  await hears('Ctrl-C ends it.');
  await vi.waitFor(() => expect(said.stdout).toContain('ended'), { timeout: 5000 });
  child.kill('SIGINT');
  expect(await ended).toEqual([7, null]);
  expect(said.stdout).toBe('begins\nended\nthe handler ran\n');
});

it('says so where the thread cannot be interrupted', async () => {
  const { said, hears } = start('blocks');
  await hears('Only kill -9');
  expect(said.stderr).toMatch(new RegExp(`^\n${warning}\\. Only kill -9 \\d+ ends it\\.\n$`));
});

it('gives up a call that outlasts its limit, in the middle of it', async () => {
  const { said, ended } = start('limited');
  expect(await ended).toEqual([2, null]);
  expect(said.stdout).toBe(`begins\ngave up environment slow at ${placeOf('for (;;);')}\n`);
  expect(said.stderr).toContain(warning);
});

it.each([
  ['progresses', 'calls begin and end'],
  ...(inject('long')
    ? [
        ['waits', 'a call waits'],
        ['does nothing', 'nothing runs'],
      ]
    : []),
] as [string, string][])('%s: is silent where %s, and keeps no process alive', async (how) => {
  const { said, ended } = start(how);
  expect(await ended).toEqual([0, null]);
  expect(said).toEqual({ stdout: '', stderr: '' });
});

it('names the outer call again once an inner one is over', async () => {
  const { said, ended } = start('nested');
  expect(await ended).toEqual([0, null]);
  expect(said.stderr).toContain(warning);
});

it('finds what runs outside of any call, where that is wanted', async () => {
  const { said, ended } = start('unmarked');
  expect(await ended).toEqual([0, null]);
  expect(said.stderr).toBe(
    `\nNothing else has run, at ${placeOf("while (process.listenerCount('SIGINT')")}. Ctrl-C ends it.\n`,
  );
});

it('leaves a process alone that is debugged', async () => {
  const { said, ended, child } = start('loops', '--inspect=127.0.0.1:0');
  await vi.waitFor(() => expect(said.stdout).toBe('begins\n'), { timeout: 5000 });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(said.stderr).not.toContain(warning);
  child.kill('SIGKILL');
  await ended;
});
