// `train --check` tries a few steps in a process of its own, to tell the time and the memory of a run.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { afterAll, describe, expect, it } from 'vitest';

import { tinyRecipe } from './fixtures/tiny-recipe.js';
import { bin, documentOf, freshDataFolders } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const home = mkdtempSync(join(tmpdir(), 'agentgym-train-check-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const [project, temporary] = [join(home, 'project'), join(home, 'temporary')];
for (const folder of [project, temporary]) mkdirSync(folder);
writeFileSync(join(project, 'recipe.yaml'), tinyRecipe);

const settings = { cwd: project, environment: { TMPDIR: temporary, TEMP: temporary, TMP: temporary } };
const check = (...more: string[]) => runWarm(['train', 'recipe.yaml', '--check', ...more], settings);
const trial = (...more: string[]) => check('--trial', ...more);
// The engine keeps files of its own there.
const ownFolders = () => readdirSync(temporary).filter((name) => name.startsWith('agentgym-'));
const nothingIsLeft = () => {
  expect(readdirSync(project)).toEqual(['recipe.yaml']);
  expect(ownFolders()).toEqual([]);
};

describe('train --check --trial', { timeout: 120_000 }, () => {
  it('tells the time and the memory of a run from a few steps, and leaves nothing behind', async () => {
    const ended = await trial('--json');
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('Trying 2 steps of each stage');
    const { memory, trial: tried } = documentOf(ended) as {
      memory: { needed: number };
      trial: { steps: number; seconds: Record<string, number>; peakBytes: number };
    };
    const { total, ...parts } = tried.seconds;
    expect(Object.keys(parts)).toEqual(['preparation', 'supervised', 'reinforcement', 'evaluations']);
    for (const seconds of Object.values(parts)) expect(seconds).toBeGreaterThan(0);
    expect(total).toBeCloseTo(Object.values(parts).reduce((sum, part) => sum + part, 0));
    expect(tried.peakBytes).toBeGreaterThan(50e6);
    expect(tried.peakBytes).toBeLessThan(2 * memory.needed);
    nothingIsLeft();
  });

  it('is left out by --check alone, which tells the memory', async () => {
    const ended = await check();
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).not.toContain('Trying');
    expect(ended.stdout).not.toContain('time:');
    expect(ended.stdout).toMatch(/\nmemory: at most [\d.]+ [MG]B, and /);
    const alone = await runWarm(['train', 'recipe.yaml', '--trial'], settings);
    expect(alone.stderr).toContain('--trial has an effect only with --check');
    nothingIsLeft();
  });

  // The tokenizer is made of the demonstrations, so only a run knows how long they are.
  it('refuses with the cause and the cure what fails in the steps', async () => {
    const ended = await trial('--json', '--set', 'rollout.maxEpisodeTokens=8');
    expect(ended.code).toBe(2);
    expect(documentOf(ended)).toMatchObject({
      error: {
        code: 'AG_DEMONSTRATION',
        message: expect.stringMatching(/^The steps that were tried failed: No demonstration of the stage `sft` fits/),
        hint: expect.stringContaining('rollout.maxEpisodeTokens'),
      },
    });
    nothingIsLeft();
  });

  it('ends its steps at Ctrl-C, and removes them', async () => {
    const folders = freshDataFolders(home);
    const long = ['--set', 'stages.rl.tasksPerStep=20000'];
    const child = spawn(
      process.execPath,
      [bin, 'train', 'recipe.yaml', '--check', '--trial', '--no-memory-check', ...long],
      {
        cwd: project,
        env: { ...process.env, ...folders, NODE_ENV: 'production', ...settings.environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const code = new Promise((resolve) => child.once('close', resolve));
    const begun = () => ownFolders().some((name) => readdirSync(join(temporary, name)).includes('run'));
    while (!begun() && child.exitCode === null) await setTimeout(20);
    child.kill('SIGINT');
    expect(await code, stderr).toBe(130);
    expect(stderr).toContain('Nothing was written');
    nothingIsLeft();
  });
});
