import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { expect, it, vi } from 'vitest';

import { bin, documentOf, freshDataFolders, runCli } from './run-cli.js';

// Goes red when the document is printed again at the end, when `--open` opens nothing, or when Ctrl-C is reported as a
// failure.
it('agentgym ui prints where it serves, opens it, and ends with Ctrl-C', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-ui-'));
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const opened = join(folder, 'opened');
  writeFileSync(join(folder, opener), `#!/bin/sh\nprintf %s "$1" > ${JSON.stringify(opened)}\n`);
  chmodSync(join(folder, opener), 0o755);
  const folders = freshDataFolders();
  const child = spawn(process.execPath, [bin, 'ui', '--runs', 'none-yet', '--open', '--json'], {
    cwd: folder,
    env: { ...process.env, ...folders, NODE_ENV: 'production', PATH: `${folder}${delimiter}${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const document = await vi.waitFor(() => JSON.parse(stdout) as { url: string; runs: string }, { timeout: 20_000 });
  expect(document).toEqual({ formatVersion: 1, url: expect.any(String), runs: join(folder, 'none-yet') });
  expect(document.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
  expect((await fetch(document.url)).status).toBe(200);
  expect((await fetch(new URL(document.url).origin)).status).toBe(403);
  await vi.waitFor(() => expect(existsSync(opened) && readFileSync(opened, 'utf8')).toBe(document.url), 10_000);
  const before = stdout;
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(stdout).toBe(before);
  rmSync(folders.AGENTGYM_DATA_DIR, { recursive: true, force: true });
});

it('ends with 2 and a hint where it cannot serve', async () => {
  const environment = { AGENTGYM_UI_TOKEN: 'short' };
  for (const [args, settings] of [
    [['--host', '192.0.2.1'], {}],
    [[], { environment }],
  ] as const) {
    const result = await runCli(['ui', ...args, '--json'], settings);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code: 'AG_SERVE_FAILED', hint: expect.any(String) } });
  }
});
