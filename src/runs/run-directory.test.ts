import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { AgentgymError } from '../errors/agentgym-error.js';
import { tinyRecipe } from '../config/fixtures/tiny-recipe.js';
import { findRuns, resolveRun } from './resolve-run.js';
import { RunDirectory, type NewRun } from './run-directory.js';
import { readManifest } from './run-manifest.js';

const recipeOf = (groupSize: number) => tinyRecipe({ algorithm: { name: 'grpo', groupSize } });

function newRun(overrides: Partial<NewRun> = {}): NewRun {
  const runsFolder = join(mkdtempSync(join(tmpdir(), 'agentgym-runs-')), 'runs');
  return {
    recipe: recipeOf(16),
    name: 'Tiny recipe',
    runsFolder,
    versions: { '@agentgym/cli': '0.1.0' },
    plugins: [],
    seeds: { run: 1 },
    sourceFolder: runsFolder,
    ...overrides,
  };
}

it('creates a folder named by date, recipe and id, with a manifest', async () => {
  const options = newRun();
  const run = await RunDirectory.create(options);
  const { id, createdAt } = run.manifest;
  expect(readdirSync(options.runsFolder)).toEqual([`${createdAt.slice(0, 10)}-tiny-recipe-${id}`]);
  expect(await readManifest(run.path)).toMatchObject({
    formatVersion: 1,
    status: 'running',
    recipe: options.recipe,
    git: null,
  });
  await run.update({ policy: { engine: 'tabular' } });
  expect((await readManifest(run.path)).policy).toEqual({ engine: 'tabular' });
  run.release();
});

it('refuses an output that exists, be it an empty folder, and writes nothing', async () => {
  const options = newRun();
  mkdirSync(options.runsFolder);
  await expect(RunDirectory.create({ ...options, output: options.runsFolder })).rejects.toMatchObject({
    code: 'AG_OUTPUT_EXISTS',
    exitCode: 2,
  });
  expect(readdirSync(options.runsFolder)).toEqual([]);
  expect(readdirSync(join(options.runsFolder, '..'))).toEqual(['runs']);
});

it('says where a folder cannot be made, and leaves nothing behind', async () => {
  const options = newRun();
  mkdirSync(options.runsFolder);
  const file = join(options.runsFolder, 'file');
  writeFileSync(file, '');
  await expect(RunDirectory.create({ ...options, output: join(file, 'run') })).rejects.toMatchObject({
    code: 'AG_RUN_WRITE_FAILED',
    message: expect.stringMatching(/not a directory/),
  });
  expect(readdirSync(options.runsFolder)).toEqual(['file']);
});

it('resumes only a run, with its own recipe, by one process at a time', async () => {
  const options = newRun();
  const run = await RunDirectory.create(options);
  await expect(RunDirectory.resume(run.path)).rejects.toMatchObject({ code: 'AG_RUN_LOCKED' });
  run.release();

  await expect(RunDirectory.resume(options.runsFolder)).rejects.toMatchObject({
    code: 'AG_NOT_A_RUN',
    message: expect.stringContaining('no manifest.json'),
  });
  await expect(RunDirectory.resume(run.path, recipeOf(8))).rejects.toMatchObject({
    code: 'AG_RESUME_MISMATCH',
    path: 'algorithm.groupSize',
    message: expect.stringContaining('16 there and 8 here'),
  });
  const resumed = await RunDirectory.resume(run.path, { ...options.recipe });
  expect(resumed.checkpoint).toBeNull();
  await resumed.reopen();
  expect(resumed.manifest.sessions).toHaveLength(2);
  resumed.release();
});

it('says that the server of a policy is away, which is no defect', async () => {
  const run = await RunDirectory.create(newRun());
  await run.fail(Object.assign(new Error('nobody answers'), { code: 'UNAVAILABLE' }));
  expect(await readManifest(run.path)).toMatchObject({
    error: { code: 'AG_POLICY_UNAVAILABLE', message: 'nobody answers' },
  });
});

// Goes red, and an ablation counts the run as failed, if an interruption between two steps is recorded as a failure.
it('is interrupted, not failed, by a signal outside of a step', async () => {
  const run = await RunDirectory.create(newRun());
  await run.fail(new AgentgymError('AG_INTERRUPTED', { message: 'Interrupted.' }));
  const { error, status } = await readManifest(run.path);
  expect({ error, status }).toEqual({ error: undefined, status: 'interrupted' });
});

it('notes the end of a run, good or bad, and gives the lock back', async () => {
  const run = await RunDirectory.create(newRun());
  await run.fail(new Error('boom'));
  expect(await readManifest(run.path)).toMatchObject({ status: 'failed', error: { code: 'AG_BUG', message: 'boom' } });
  const resumed = await RunDirectory.resume(run.path);
  await resumed.reopen();
  expect(resumed.manifest).not.toHaveProperty('error');
  const spent = {
    demonstrations: 0,
    episodes: 0,
    turns: 0,
    tokens: 0,
    trainedTokens: 0,
    optimizerSteps: 0,
    seconds: 1,
  };
  const nothing = { spent, stages: [], evaluation: null, evaluations: [], starts: [], baselines: {} };
  await resumed.finish({ formatVersion: 1, run: run.path, status: 'stopped', seconds: 1, ...nothing });
  expect((await readManifest(run.path)).status).toBe('stopped');
  expect(existsSync(join(run.path, 'result.json'))).toBe(true);
  expect(readdirSync(run.path).filter((name) => name.startsWith('lock'))).toEqual([]);
});

it('finds a run by path, id, folder name, unique beginning, and as the latest', async () => {
  const options = newRun();
  const first = await RunDirectory.create(options);
  const second = await RunDirectory.create(options);
  const { runsFolder } = options;
  // A folder that is not a run, and an incomplete run of a killed process, are ignored.
  mkdirSync(join(runsFolder, 'notes'));
  mkdirSync(join(runsFolder, '.creating-x'));
  const order = (await findRuns(runsFolder)).map(({ id }) => id);
  expect(new Set(order)).toEqual(new Set([first.manifest.id, second.manifest.id]));
  for (const run of [first, second]) {
    expect(await resolveRun(run.path, runsFolder)).toBe(run.path);
    expect(await resolveRun(run.manifest.id, runsFolder)).toBe(run.path);
    expect(await resolveRun(run.path.slice(runsFolder.length + 1), runsFolder)).toBe(run.path);
  }
  expect(await resolveRun('latest', runsFolder)).toContain(order.at(-1));
  await expect(resolveRun('20', runsFolder)).rejects.toMatchObject({ code: 'AG_RUN_AMBIGUOUS' });
  await expect(resolveRun('nope', runsFolder)).rejects.toMatchObject({ code: 'AG_RUN_NOT_FOUND' });
  await expect(resolveRun(join(runsFolder, 'notes'), runsFolder)).rejects.toMatchObject({ code: 'AG_NOT_A_RUN' });
  await expect(resolveRun('latest', join(runsFolder, 'notes'))).rejects.toMatchObject({ code: 'AG_RUN_NOT_FOUND' });
});

it('resumes no run in whose folder a link leads out of it', async () => {
  const run = await RunDirectory.create(newRun());
  run.release();
  const elsewhere = mkdtempSync(join(tmpdir(), 'agentgym-elsewhere-'));
  mkdirSync(join(run.path, 'inner'));
  for (const name of ['episodes', 'checkpoints', 'metrics.jsonl', 'inner/link']) {
    const link = join(run.path, name);
    symlinkSync(elsewhere, link);
    await expect(RunDirectory.resume(run.path)).rejects.toMatchObject({ code: 'AG_RUN_DAMAGED', file: link });
    rmSync(link);
  }
  (await RunDirectory.resume(run.path)).release();
});
