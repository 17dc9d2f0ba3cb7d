import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { tinyRecipe } from './fixtures/tiny-recipe.js';
import { documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';

const cwd = mkdtempSync(join(tmpdir(), 'agentgym-damaged-'));
const run = join(cwd, 'runs', 'damaged');

beforeAll(async () => {
  writeFileSync(join(cwd, 'recipe.yaml'), tinyRecipe);
  for (const seed of ['1', '2']) {
    const trained = await runWarm(['train', 'recipe.yaml', '--seed', seed, '--output', `whole/${seed}`], { cwd });
    expect(trained).toMatchObject({ code: 0 });
  }
}, 240_000);

beforeEach(() => cpSync(join(cwd, 'whole', '1'), run, { recursive: true }));
afterAll(() => rmSync(cwd, { recursive: true }));

/** The document with another value at a path. */
function changed(document: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(document))
    return (document as unknown[]).map((item, i) => (`${i}` === key ? changed(item, rest, value) : item));
  const map = document as Record<string, unknown>;
  return { ...map, [key]: changed(map[key], rest, value) };
}

/** A file of JSON, or the last line of a file of JSON lines, with another value at a path; '' is the whole document. */
function damage(file: string, path: string, value: unknown): void {
  const text = readFileSync(join(run, file), 'utf8');
  const lines = file.endsWith('.jsonl') ? text.trimEnd().split('\n') : [text];
  const last = changed(JSON.parse(lines.at(-1) ?? ''), path === '' ? [] : path.split('.'), value);
  writeFileSync(join(run, file), `${[...lines.slice(0, -1), JSON.stringify(last)].join('\n')}\n`);
}

const show = ['runs', 'show', 'runs/damaged'];
const compare = ['runs', 'compare', 'runs/damaged', 'whole/2'];
const report = ['report', 'runs/damaged'];
const tables = ['report', 'runs/damaged', '--format', 'csv'];
const atif = ['runs', 'episodes', 'runs/damaged', '--as', 'atif', '--to', 'episodes.jsonl', '--force'];
const advise = ['advise', 'runs/damaged'];
const exportModel = ['export', 'runs/damaged', '--to', 'model'];

describe('a command that reads a damaged file of a run', { timeout: 120_000 }, () => {
  it.each([
    ['result.json', '', null, [show, compare, report, advise]],
    ['result.json', '', [], [show]],
    ['result.json', 'evaluation', {}, [show, compare]],
    ['result.json', 'evaluations', [null], [report]],
    ['result.json', 'baselines', null, [show, report]],
    ['result.json', 'spent', 7, [show]],
    ['result.json', 'stages', null, [show]],
    ['evaluations.jsonl', '', null, [show, report, exportModel]],
    ['evaluations.jsonl', '', {}, [report]],
    ['evaluations.jsonl', 'evaluation.success', 'all', [show]],
    ['metrics.jsonl', '', null, [show, tables]],
    ['metrics.jsonl', 'step', 'first', [report]],
    ['episodes/rl.jsonl', '', null, [report, tables]],
    ['episodes/rl.jsonl', 'turns', null, [report, tables]],
    ['episodes/rl.jsonl', 'turns', [null], [tables]],
    ['episodes/rl.jsonl', 'turns.0.facts', null, [tables]],
    ['episodes/rl.jsonl', 'record', null, [report, tables, atif]],
    ['episodes/rl.jsonl', 'record.tokens', {}, [tables, atif]],
    ['episodes/rl.jsonl', 'record.logprobs', ['x'], [report, atif]],
    ['episodes/rl.jsonl', 'success', 'yes', [tables]],
    ['evaluations.jsonl', 'outcomes.0.attempts', 5, [advise]],
    ['evaluations.jsonl', 'evaluation.success.rate', 1e308, [show]],
    ['manifest.json', 'splits.uses', null, [advise, exportModel]],
    ['manifest.json', 'splits.overlap.trainAndTest', 'x', [advise]],
    ['manifest.json', 'host.cores', [], [report]],
    ['manifest.json', 'recipe.policy', [], [show, advise]],
    ['manifest.json', 'formatVersion', null, [show]],
    ['manifest.json', '', null, [show, report]],
    ['manifest.json', 'versions', null, [show, report]],
    ['manifest.json', 'seeds', 7, [show, report]],
  ] as const)('names %s where `%s` is %j', async (file, path, value, commands) => {
    damage(file, path, value);
    for (const command of commands) {
      const { code, stdout, stderr } = await runWarm([...command, '--json'], { cwd });
      expect({ code, stderr }, command.join(' ')).toMatchObject({ code: 2 });
      expect(JSON.stringify(documentOf({ code, stdout, stderr })), command.join(' ')).toContain(join(run, file));
    }
  });

  it.each([
    ['checkpoints/step-5/checksums.json', '', null],
    ['checkpoints/step-5/checksums.json', 'files', { 'model.safetensors': null }],
    ['checkpoints/step-5/trainer.json', '', []],
  ] as const)('names the checkpoint where %s has `%s`: %j', async (file, path, value) => {
    damage(file, path, value);
    const exported = await runWarm([...exportModel, '--json'], { cwd });
    expect(exported.code).toBe(2);
    expect(exported.stdout).toContain('AG_CHECKPOINT_BROKEN');
  });

  it.each([
    ['numbers that are none', (content: Buffer) => content.fill(0xff, content.length - 64)],
    ['a header of 2 EiB', (content: Buffer) => content.fill(0xff, 0, 8)],
  ])('continues no run whose weights have %s, also where the checksums say so', async (_, change) => {
    const folder = join(run, 'checkpoints/step-5');
    const weights = change(readFileSync(join(folder, 'model.safetensors')));
    writeFileSync(join(folder, 'model.safetensors'), weights);
    const sha256 = createHash('sha256').update(weights).digest('hex');
    const sums = readFileSync(join(folder, 'checksums.json'), 'utf8').replace(
      /("model\.safetensors": \{\s*"bytes": )\d+(,\s*"sha256": ")\w+/,
      `$1${weights.length}$2${sha256}`,
    );
    writeFileSync(join(folder, 'checksums.json'), sums);
    damage('manifest.json', 'status', 'interrupted');
    const resumed = await runWarm(['train', '--resume', 'runs/damaged', '--json'], { cwd });
    expect(resumed).toMatchObject({ code: 2, stdout: expect.stringContaining('AG_CHECKPOINT_BROKEN') as unknown });
  });

  it('lists the run and says what of it cannot be read', async () => {
    damage('result.json', 'evaluation', {});
    const listed = await runWarm(['runs', 'list'], { cwd });
    expect(listed).toMatchObject({ code: 0, stderr: expect.stringContaining('result.json') as unknown });
  });
});
