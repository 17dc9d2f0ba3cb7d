import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { runCli } from './run-cli.js';
import { runWarm } from './warm-cli.js';

// Goes red when a command finds the folder, the variables or the exit code of the one before it.
it('runs commands one after the other as processes of their own would', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'agentgym-warm-'));
  const commands = [
    [['list', '--nonsense'], { cwd, environment: { NO_COLOR: '1' } }],
    // Ends with 1.
    [['plugins', 'check'], { cwd }],
    [['runs', 'list', '--json'], { cwd }],
    [['describe', 'environment', 'guess-number'], {}],
  ] as const;
  for (const [args, settings] of commands) expect(await runWarm(args, settings)).toEqual(await runCli(args, settings));
  expect((await runWarm(...commands[0])).code).toBe(2);
});

it('runs commands side by side', async () => {
  const versions = await Promise.all([0, 1].map(() => runWarm(['--version'])));
  expect(versions[0]).toMatchObject({ code: 0, stdout: expect.stringContaining('@agentgym/cli/') as string });
  expect(versions[1]).toEqual(versions[0]);
});
