import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { captureOutput } from '@oclif/test';
import { expect, it } from 'vitest';

import { tinyRecipe } from '../../config/fixtures/tiny-recipe.js';
import type { EvaluationSummary } from '../../contracts/evaluation.js';
import { DiskJournal } from '../../runs/disk-journal.js';
import { journaledRun } from '../../runs/fixtures/journaled-run.js';
import { RunDirectory } from '../../runs/run-directory.js';
import RunsCompare from './compare.js';
import RunsLabel from './label.js';
import RunsList from './list.js';
import RunsPrune from './prune.js';
import RunsShow from './show.js';

const root = join(import.meta.dirname, '../../..');

const evaluation: EvaluationSummary = {
  split: 'test',
  temperature: 0,
  success: { rate: 0.87, low: 0.85, high: 0.89, episodes: 1000, method: 'wilson' },
  return: { mean: 0.87, low: 0.85, high: 0.89 },
  turns: { mean: 3.1, low: 3, high: 3.2 },
  truncated: 0,
  invalid: 0,
  failed: 0,
};

async function newRun(runsFolder: string): Promise<{ run: RunDirectory; journal: DiskJournal }> {
  const made = { versions: {}, plugins: [], seeds: {}, sourceFolder: runsFolder };
  const run = await RunDirectory.create({ recipe: tinyRecipe(), name: 'tiny', runsFolder, ...made });
  const policy = {
    save: (directory: string) => Promise.resolve(writeFileSync(join(directory, 'weights.txt'), '1')),
  };
  const settings = { checkpointEvery: 1, keep: 1, runState: () => ({}), listener: () => undefined };
  return { run, journal: await DiskJournal.open({ run, policy, ...settings }) };
}

/** A folder with a finished run and a run whose process ended. */
async function runsFolder(): Promise<{ folder: string; finished: RunDirectory; killed: RunDirectory }> {
  const folder = join(mkdtempSync(join(tmpdir(), 'agentgym-runs-')), 'runs');
  const { run: finished, journal } = await newRun(folder);
  for (const [step, success] of [0.2, 0.6, 0.87].entries()) {
    journal.metrics({
      stage: 'rl',
      step: step + 1,
      metrics: { 'eval/t0/success': success, 'cost/episodes': 512, 'cost/tasks': 32 },
    });
  }
  journal.evaluation({
    stage: 'rl',
    step: 3,
    player: 'policy',
    evaluation,
    outcomes: [],
  });
  await journal.checkpoint('rl', 3, {}, true);
  await finished.finish({
    formatVersion: 1,
    run: finished.path,
    status: 'completed',
    seconds: 75,
    spent: {
      demonstrations: 0,
      tasks: 32,
      episodes: 512,
      turns: 2048,
      tokens: 6000,
      trainedTokens: 6000,
      optimizerSteps: 12,
      seconds: 75,
    },
    stages: [{ name: 'rl', kind: 'rl', steps: 3, seconds: 70, evaluation }],
    evaluation,
    evaluations: [evaluation],
    starts: [],
    baselines: { random: { ...evaluation, success: { ...evaluation.success, rate: 0.18 } } },
  });
  const { run: killed, journal: cut } = await newRun(folder);
  cut.close();
  killed.release();
  return { folder, finished, killed };
}

it('lists runs with where they stand', async () => {
  const { folder, finished, killed } = await runsFolder();
  const { result, stdout } = await captureOutput(() => RunsList.run(['--runs', folder], root));
  const { runs } = result as Awaited<ReturnType<RunsList['run']>>;
  expect(new Map(runs.map((run) => [run.id, run]))).toEqual(
    new Map([
      [finished.manifest.id, expect.objectContaining({ status: 'completed', step: 3, success: 0.87 })],
      [killed.manifest.id, expect.objectContaining({ status: 'interrupted', step: null, success: null })],
    ]),
  );
  expect(stdout).toMatch(/run +name +recipe .* status .* success\n/);
  expect(stdout).toMatch(/tiny .* completed .* 87\.0 %/);
  const listed = async (...flags: string[]) => {
    const { result: found } = await captureOutput(() => RunsList.run(['--runs', folder, ...flags], root));
    return (found as Awaited<ReturnType<RunsList['run']>>).runs.map(({ id }) => id);
  };
  expect(await listed('--status', 'completed')).toEqual([finished.manifest.id]);
  expect(await listed('--recipe', 'other')).toEqual([]);
  const { stdout: none } = await captureOutput(() => RunsList.run(['--runs', join(folder, 'none')], root));
  expect(none).toMatch(/^No runs in/);
});

// Goes red when a label changes other labels, or when a run cannot be found by it.
it('names, tags and notes a run, which then is found by them', async () => {
  const { folder, finished, killed } = await runsFolder();
  const label = (...words: string[]) => captureOutput(() => RunsLabel.run([...words, '--runs', folder], root));
  await label(finished.manifest.id, '--name', 'wider clip', '--tag', 'clip', '--tag', 'odd');
  await label('wider clip', '--note', 'twice the rate', '--untag', 'odd');
  const { result, stdout } = await captureOutput(() => RunsList.run(['--runs', folder, '--tag', 'clip'], root));
  const { runs } = result as Awaited<ReturnType<RunsList['run']>>;
  expect(runs).toMatchObject([
    { id: finished.manifest.id, name: 'wider clip', tags: ['clip'], note: 'twice the rate' },
  ]);
  expect(stdout).toContain('wider clip');
  expect(stdout).not.toContain(killed.manifest.id);
  const shown = await captureOutput(() => RunsShow.run(['wider clip', '--runs', folder], root));
  expect(shown.stdout).toMatch(/name +wider clip\ntags +clip\nnote +twice the rate\n/);
  expect((await label(finished.manifest.id, '--name', 'two\nlines')).error).toMatchObject({ code: 'AG_COMMAND_USAGE' });
});

it('shows a run with its curve and its table, or all of it as JSON', async () => {
  const { folder, finished, killed } = await runsFolder();
  const { stdout } = await captureOutput(() => RunsShow.run([finished.manifest.id, '--runs', folder], root));
  expect(stdout).toMatch(/status {6}completed/);
  expect(stdout).toMatch(/last step {3}3 of stage rl \(3 in all\)/);
  expect(stdout).toMatch(/spent {7}512 episodes, 32 distinct tasks\n/);
  expect(stdout).toContain('100 % │');
  expect(stdout).toMatch(/trained +87\.0 % +85\.0 to 89\.0/);
  expect(stdout).not.toContain('--resume');

  const json = await captureOutput(() => RunsShow.run([finished.path, '--json'], root));
  expect(JSON.parse(json.stdout)).toMatchObject({
    formatVersion: 1,
    run: finished.path,
    status: 'completed',
    manifest: { formatVersion: 1, recipe: { seed: 1 } },
    checkpoint: join(finished.path, 'checkpoints/step-3'),
    lastStep: { stage: 'rl', step: 3, runStep: 3 },
    result: { seconds: 75, spent: { episodes: 512, seconds: 75 } },
    evaluations: [{ player: 'policy', stage: 'rl', step: 3 }],
  });

  const cut = await captureOutput(() => RunsShow.run([killed.path], root));
  expect(cut.stdout).toContain(`agentgym train --resume ${killed.path}`);
});

it('says what is damaged in a run, and lists the others', async () => {
  const { folder, finished, killed } = await runsFolder();
  writeFileSync(join(killed.path, 'manifest.json'), JSON.stringify({ ...killed.manifest, recipe: null }));
  const { error } = await captureOutput(() => RunsShow.run([killed.manifest.id, '--runs', folder], root));
  expect(error).toMatchObject({ code: 'AG_NOT_A_RUN', message: expect.stringContaining('`recipe` is empty') });
  const { stdout } = await captureOutput(() => RunsList.run(['--runs', folder], root));
  expect(stdout).toContain(finished.manifest.id);
  expect(stdout).not.toContain(killed.manifest.id);
});

it('says what is no run', async () => {
  const { folder } = await runsFolder();
  const { error } = await captureOutput(() => RunsShow.run([folder], root));
  expect(error).toMatchObject({ code: 'AG_NOT_A_RUN' });
});

it('compares runs by their tasks, and refuses a metric that there is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-runs-'));
  const runs = [await journaledRun(folder), await journaledRun(folder, { clip: 0.3, successes: [1, 1] })];
  const { result, stdout } = await captureOutput(() => RunsCompare.run(runs, root));
  const { comparisons } = result as Awaited<ReturnType<RunsCompare['run']>>;
  expect(comparisons.map(({ difference }) => difference.mean)).toEqual([0.5]);
  expect(stdout).toMatch(/algorithm\.options\.clip +0\.2 +0\.3/);
  const { error } = await captureOutput(() => RunsCompare.run([...runs, '--metric', 'luck'], root));
  expect(error?.message).toContain('to be one of: success, return, turns');
});

it('says what pruning would remove, and removes it when told so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-runs-'));
  const run = await journaledRun(folder);
  const dry = await captureOutput(() => RunsPrune.run(['--runs', folder], root));
  expect(dry.stdout).toMatch(/completed {2}checkpoint +step-3 +[\d.]+ k?B\n/);
  expect(dry.stdout).toMatch(/Would remove [\d.]+ kB\. Nothing has changed; add `--yes` to remove it\.\n$/);
  expect(dry.result).toMatchObject({ removed: false, runs: [{ run }] });
  expect(existsSync(join(run, 'checkpoints', 'step-3'))).toBe(true);
  const done = await captureOutput(() => RunsPrune.run(['--runs', folder, '--keep', '2', '--yes', '--json'], root));
  expect(JSON.parse(done.stdout)).toMatchObject({ formatVersion: 1, removed: true, runs: [{ run }] });
  expect(readdirSync(join(run, 'checkpoints')).sort()).toEqual(['latest.json', 'step-3', 'step-4']);
  expect((await captureOutput(() => RunsPrune.run(['--runs', folder, '--older-than', '1h'], root))).stdout).toBe(
    'There is nothing to remove.\n',
  );
  const { error } = await captureOutput(() => RunsPrune.run(['--runs', folder, '--older-than', 'soon'], root));
  expect(error?.message).toContain('"soon" is not an age');
  const both = await captureOutput(() => RunsPrune.run(['--runs', folder, '--keep', '2', '--failed'], root));
  expect(both.error?.message).toContain('cannot also be provided');
});

// Goes red when a damaged folder is left out in silence, or when `latest` passes over it.
it('says which folders are damaged, and why; `latest` does not pass over one that may be newer', async () => {
  const { folder, finished } = await runsFolder();
  const damage = (name: string, text: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, name.startsWith('ablations') ? 'ablation.json' : 'manifest.json'), text);
  };
  damage('cut', '{"id": "a');
  damage('other', '[]');
  damage('null', 'null');
  damage('newer', JSON.stringify({ id: 'x', createdAt: '2020-01-01', formatVersion: 2 }));
  damage('ablations/broken', '{');
  mkdirSync(join(folder, 'notes'));
  mkdirSync(join(folder, 'pipe'));
  execFileSync('mkfifo', [join(folder, 'pipe', 'manifest.json')]);
  writeFileSync(join(finished.path, 'result.json'), '{');
  const { result, stderr } = await captureOutput(() => RunsList.run(['--runs', folder], root));
  const { runs, damaged } = result as Awaited<ReturnType<RunsList['run']>>;
  expect(runs).toHaveLength(2);
  const names = damaged.map(({ directory }) => relative(folder, directory)).sort();
  const own = relative(folder, finished.path);
  expect(names).toEqual(['ablations/broken', 'cut', 'newer', 'null', 'other', own, 'pipe'].sort());
  for (const name of names) expect(stderr).toContain(`${join(folder, name)} is damaged: `);
  await expect(RunsShow.run(['latest', '--runs', folder], root)).rejects.toMatchObject({ code: 'AG_RUN_DAMAGED' });
});
