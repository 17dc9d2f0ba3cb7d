// Demonstrations from the command line: written, described, trained on; and what is left when the process ends early.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, describe, expect, it } from 'vitest';

import { changedRecipe } from './fixtures/tiny-recipe.js';
import { bin, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'agentgym-demonstrate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const demonstrate = (output: string, ...words: string[]) => [
  ...['demonstrate', 'guess-number', '--policy', 'demonstrator', '--option', 'width=[4, 6]', '--output', output],
  ...words,
];

describe('agentgym demonstrate', () => {
  it('writes what describe shows and train learns from', { timeout: 60_000 }, async () => {
    const inFolder = { cwd: folder };
    const won = demonstrate('games.jsonl', '--tasks', '60', '--filter', 'success', '--json');
    const written = documentOf(await runWarm(won, inFolder));
    expect(written).toMatchObject({ formatVersion: 1, episodes: 60, played: 60, split: 'train', failed: 0 });
    const { kept, sha256 } = written as { kept: number; sha256: string };
    expect(written).toMatchObject({ succeeded: kept, tasks: kept });
    expect(documentOf(await runWarm(['describe', 'games.jsonl', '--json'], inFolder))).toMatchObject({
      ...{ layout: 'agentgym', episodes: kept, success: 1, sha256 },
    });
    const told = await runWarm(['describe', 'games.jsonl'], inFolder);
    expect(told.stdout).toMatch(
      /^games\.jsonl: demonstrations in the layout `agentgym`\nenvironment: guess-number of /,
    );

    writeFileSync(
      join(folder, 'recipe.yaml'),
      changedRecipe('{ expert: demonstrator, count: 20 }', '{ file: ./games.jsonl, successOnly: true }'),
    );
    const trained = documentOf(await runWarm(['train', 'recipe.yaml', '--json'], inFolder));
    expect(trained).toMatchObject({ status: 'completed' });

    const again = await runWarm(won, inFolder);
    expect(again.code).toBe(2);
    expect(documentOf(again)).toMatchObject({ error: { code: 'AG_OUTPUT_EXISTS' } });
  });

  it('is described as a contribution or a file, and nothing else', async () => {
    for (const [words, message] of [
      [['describe', 'games'], /`games` is not a kind of contribution, not the name of a contribution, and not a file/],
      [['describe', 'games', 'mine'], /`games` is not a kind of contribution\./],
      [['describe', 'env'], /The name of the environment is missing/],
    ] as const) {
      const { code, stderr } = await runWarm(words);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
    }
  });

  // Mutation: write the file under its own name from the beginning.
  it.each(['SIGKILL', 'SIGINT'] as const)(
    'leaves no file that looks whole after %s',
    { timeout: 30_000 },
    async (how) => {
      const cwd = mkdtempSync(join(folder, 'ended-'));
      const many = demonstrate('games.jsonl', '--tasks', '60', '--episodes-per-task', '20000');
      const folders = freshDataFolders(folder);
      const child = spawn(process.execPath, [bin, ...many], {
        cwd,
        env: { ...process.env, ...folders },
        stdio: 'ignore',
      });
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
      while (readdirSync(cwd).length === 0) await sleep(20);
      await sleep(200);
      child.kill(how);
      expect(await ended).toBe(how === 'SIGINT' ? 130 : null);
      const left = readdirSync(cwd);
      expect(left.filter((name) => !name.startsWith('.writing-'))).toEqual([]);
      if (how === 'SIGINT') expect(left).toEqual([]);
      const second = await runWarm(demonstrate('games.jsonl', '--tasks', '20', '--json'), { cwd });
      expect(documentOf(second)).toMatchObject({ kept: 20 });
    },
  );
});
