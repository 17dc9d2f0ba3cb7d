import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { expect, it } from 'vitest';

import { DiskJournal } from './disk-journal.js';
import { journaledRun } from './fixtures/journaled-run.js';
import { loadRun } from './load-run.js';
import { referenceTo } from './resolve-run.js';
import { RunDirectory } from './run-directory.js';
import { sealFolder } from './checkpoint-files.js';

const home = () => mkdtempSync(join(tmpdir(), 'agentgym-load-run-'));

/** Changes a digit of the log, so that it is still JSON of the same length. */
function change(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/"cost\/episodes":8/, '"cost/episodes":9'));
  expect(readFileSync(file, 'utf8')).not.toBe(text);
}

async function warningsOf(run: RunDirectory): Promise<string[]> {
  const told: string[] = [];
  const settings = { checkpointEvery: 1, keep: 1, runState: () => ({}), policy: { save: () => Promise.resolve() } };
  const listener: DiskJournal['event'] = (event) => event.type === 'warning' && told.push(event.message);
  (await DiskJournal.open({ run, ...settings, listener })).close();
  run.release();
  return told;
}

// Goes red when a checkpoint stores only the lengths of its logs.
it('tells of a log that was changed since its checkpoint, when it is read and when the run goes on', async () => {
  const run = await journaledRun(home(), { end: 'interrupted' });
  expect((await loadRun(run)).changed).toEqual([]);
  expect(await warningsOf(await RunDirectory.resume(run))).toEqual([]);
  change(join(run, 'metrics.jsonl'));
  expect((await loadRun(run)).changed).toEqual(['metrics.jsonl']);
  expect(await warningsOf(await RunDirectory.resume(run))).toEqual([
    'metrics.jsonl changed after the run wrote it: the results may be wrong.',
  ]);
});

it('names the folder that was asked for, not the one that was copied', async () => {
  const folder = home();
  const run = await journaledRun(join(folder, 'runs'));
  const copy = join(folder, 'copy');
  cpSync(run, copy, { recursive: true });
  expect((await loadRun(copy)).result?.run).toBe(copy);
});

// Goes red when a file that somebody changed reaches the commands unchecked.
it.each([
  ['metrics.jsonl', 'null\n', 'Line 1 of'],
  ['metrics.jsonl', '{"stage":"rl"}\n', '`step` is missing'],
  ['evaluations.jsonl', '[]\n', 'not a map of keys'],
  ['evaluations.jsonl', '{"stage":"rl","step":1,"runStep":1,"player":"policy"}\n', '`evaluation` is missing'],
  ['result.json', 'null', 'it is empty, not a map of keys'],
  ['result.json', '{', 'is not the result of a run'],
] as const)('refuses a %s that is %j, and names the file', async (name, text, problem) => {
  const run = await journaledRun(home());
  const file = join(run, name);
  writeFileSync(file, text);
  await expect(loadRun(run)).rejects.toMatchObject({ code: 'AG_RUN_DAMAGED', message: expect.stringContaining(file) });
  await expect(loadRun(run)).rejects.toThrow(problem);
});

it('is told of by its id where ids are looked for, else by a path that a shell takes', () => {
  expect(referenceTo(resolve('runs/mine'), 'kx4f2a')).toBe('kx4f2a');
  expect(referenceTo(resolve('mine'), 'kx4f2a')).toBe('mine');
  expect(referenceTo('/elsewhere/it is mine', 'kx4f2a')).toBe("'/elsewhere/it is mine'");
});

it.each([
  ['a negative length', { 'metrics.jsonl': -5 }],
  ['a log outside of the run', { '../../kept.jsonl': 0 }],
  ['a log that is none', { 'manifest.json': 0 }],
])('refuses a checkpoint with %s, sealed or not', async (_, logs) => {
  const run = await journaledRun(home(), { end: 'interrupted' });
  const folder = join(run, 'checkpoints/step-4');
  const file = join(folder, 'trainer.json');
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), logs }));
  await sealFolder(folder);
  const refusal = { code: 'AG_CHECKPOINT_BROKEN', file: folder, hint: expect.stringContaining('step-3') as unknown };
  await expect(RunDirectory.resume(run)).rejects.toMatchObject(refusal);
});
