// Environments that harm their players. In a separate thread, only their episodes fail. On the main thread they are
// named, and Ctrl-C works.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

import { describe, expect, it } from 'vitest';

import { isLong } from '../long.js';
import { bin, documentOf, freshDataFolders, runCli } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const cwd = resolve(import.meta.dirname, 'fixtures/hostile-plugin');

const evaluate = (environment: string, how: string) => [
  ...['evaluate', 'random', '--environment', environment, '--option', `how=${how}`],
  ...['--split', 'test', '--tasks', '8', '--json'],
];

interface Told {
  readonly evaluation: { readonly failed: number; readonly success: { readonly episodes: number } };
}

describe('an environment in a thread of its own', { timeout: 120_000 }, () => {
  it.each(['loop', 'exit', 'throw', 'cyclic', 'nan'])('that does %s fails its episodes alone', async (how) => {
    const result = await runWarm(evaluate('hostile-in-thread', how), { cwd });
    expect(result.code, result.stderr).toBe(0);
    const { evaluation } = documentOf(result) as unknown as Told;
    expect([evaluation.failed, evaluation.success.episodes]).toEqual([1, 7]);
  });

  it('that writes 10 MB is cut', async () => {
    const result = await runWarm(evaluate('hostile-in-thread', 'text'), { cwd });
    expect(result.code, result.stderr).toBe(0);
    expect((documentOf(result) as unknown as Told).evaluation).toMatchObject({ failed: 0, success: { episodes: 8 } });
  });
});

describe('an environment on the main thread', { timeout: 120_000 }, () => {
  it.each([
    ['text', 0],
    ['cyclic', 1],
    ['nan', 1],
  ])('that does %s goes on', async (how, failed) => {
    const result = await runWarm(evaluate('hostile', how), { cwd });
    expect(result.code, result.stderr).toBe(0);
    expect((documentOf(result) as unknown as Told).evaluation.failed).toBe(failed);
  });

  it('that exits ends the command with 2 and the name of its plugin', async () => {
    const result = await runCli(evaluate('hostile', 'exit'), { cwd });
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({
      error: {
        code: 'AG_PLUGIN_EXITS',
        message: 'environment `hostile` (plugin-hostile 1.0.0) called process.exit(3) in step.',
        hint: expect.stringContaining('environment.thread=worker') as string,
      },
    });
  });

  // Goes red without the marks of calls: the process then loops forever.
  // The deadline of the second environment ends exactly when the watchdog interrupts it.
  it.each(isLong ? ['hostile', 'hostile-soon'] : ['hostile'])(
    'that loops ends with 2 and the name of its plugin, once its time is up: %s',
    async (name) => {
      const result = await runCli(evaluate(name, 'loop'), { cwd });
      expect(result.code).toBe(2);
      expect(documentOf(result)).toMatchObject({
        error: {
          code: 'AG_PLUGIN_HANGS',
          message: expect.stringMatching(
            /^environment `hostile(-soon)?` \(plugin-hostile 1\.0\.0\) blocks the main thread in step for longer than its deadline, at .*hostile-world\.js:\d+/,
          ) as string,
          hint: expect.stringContaining('environment.thread=worker') as string,
        },
      });
      expect(result.stderr).toContain(
        `environment \`${name}\` (plugin-hostile 1.0.0) has blocked the main thread for 2 s in step`,
      );
    },
  );

  it('that loops does not keep Ctrl-C from ending the process', async () => {
    const child = spawn(process.execPath, [bin, ...evaluate('hostile', 'loop')], {
      cwd,
      env: { ...process.env, ...freshDataFolders(), NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said, { timeout: 60_000, interval: 20 }).toContain('Ctrl-C now ends the process');
    const ended = new Promise<unknown>((end) => child.once('exit', (_, signal) => end(signal)));
    child.kill('SIGINT');
    expect(await ended).toBe('SIGINT');
  });
});
