// `agentgym ablate transfer` with small real runs in real processes.
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { beforeAll, expect, it } from 'vitest';

import type { AblationResult } from '../../src/ablation/ablation-result.js';
import type { EvaluationLine } from '../../src/runs/disk-journal.js';
import type { RunManifest } from '../../src/runs/run-manifest.js';
import type { RunResult } from '../../src/runs/run-result.js';
import { longDescribe } from '../long.js';
import { runWarm } from './warm-cli.js';

const recipe = resolve(import.meta.dirname, '../kill/small.yaml');
const folder = mkdtempSync(join(tmpdir(), 'agentgym-transfer-'));
const output = join(folder, 'ablation');
const settings = [
  // Enough training to solve some tasks: rates that are all 0 would show nothing.
  'stages.sft={demonstrations: {count: 200}, batchSize: 32, steps: 12, optimizer: {learningRate: 0.03}}',
  'stages.rl.steps=4',
  'stages.critic=null',
  'horizon={schedule: fixed, turns: 5}',
  'evaluation.final.tasks=12',
].flatMap((set) => ['--set', set]);
const asked = ['ablate', 'transfer', '--recipe', recipe, '--values', '{width: [[4, 9], [20, 31]]}', '--seeds', '2'];

async function ablate(...words: string[]): Promise<{ code: number | null; document: AblationResult }> {
  const { code, stdout } = await runWarm([...asked, ...settings, '--output', output, '--json', ...words]);
  return { code, document: JSON.parse(stdout) as AblationResult };
}

const runs = () => readdirSync(join(output, 'cells')).flatMap((cell) =>
    readdirSync(join(output, 'cells', cell)).filter((name) => /^seed-\d+$/.test(name)).map((seed) => join(output, 'cells', cell, seed)),
  ); // prettier-ignore
const read = <T>(...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as T;
const linesOf = (run: string) =>
  readFileSync(join(run, 'evaluations.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EvaluationLine);

/** The cells of a line of CSV; those with a comma are quoted. */
const cellsOf = (line: string) => [...line.matchAll(/(?<=^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) => cell!);

// Minutes of training for a matrix of which src/ablation and src/reporting test every part.
longDescribe('agentgym ablate transfer', { timeout: 240_000 }, () => {
  let first: Awaited<ReturnType<typeof ablate>>;
  beforeAll(async () => {
    first = await ablate('--workers', '2');
  }, 240_000);
  const ids = ['width-4-9', 'width-20-31'];

  // Goes red when a run is trained again for each column.
  it('trains a run for each level and seed, and reads every pair of levels from it', () => {
    const { code, document } = first;
    expect(code).toBe(0);
    expect(runs()).toHaveLength(2 * 2);
    expect(document).toMatchObject({ formatVersion: 1, axis: 'transfer', status: 'completed', split: 'test' });
    const pairs = ids.flatMap((trained) => ids.map((tested) => ({ id: `${trained}.on.${tested}`, trained, tested })));
    expect(document.cells.map(({ id, trained, tested }) => ({ id, trained, tested }))).toEqual(pairs);
    for (const { success, seeds, settings: own, spent, status, trained, runs: of } of document.cells) {
      expect([status, seeds]).toEqual(['completed', [1, 2]]);
      expect(success!.low).toBeLessThanOrEqual(success!.rate);
      expect(success!.high).toBeGreaterThanOrEqual(success!.rate);
      expect(Object.keys(own)).toEqual(['environment.options.width']);
      expect(spent['episodes']).toBe(4 * 2 * 4);
      expect(of.map(({ run }) => run)).toEqual([1, 2].map((seed) => join(output, 'cells', trained!, `seed-${seed}`)));
    }
    expect(document.reference).toBe('width-20-31.on.width-20-31');
    expect(document.comparisons.map(({ a, b }) => [a, b])).toEqual([
      ['width-4-9.on.width-4-9', 'width-20-31.on.width-4-9'],
      ['width-20-31.on.width-20-31', 'width-4-9.on.width-20-31'],
    ]);
    for (const { a, b, difference, p, corrected, design, seeds, tasks } of document.comparisons) {
      const rate = (cell: string) => document.cells.find(({ id }) => id === cell)!.success!.rate;
      expect(difference.mean).toBeCloseTo(rate(b) - rate(a), 12);
      expect([design, seeds, tasks]).toEqual(['paired', 2, 12]);
      expect(corrected).toBeGreaterThanOrEqual(p);
    }
    expect(document.transfer).toMatchObject({ trained: ids, tested: ids });
    expect(document.answer).toContain('On width-4-9: ');
  });

  // Goes red when columns are read from the recipe's own environment, or when rows test a column in different worlds.
  it('tests every row on the same tasks of a column, and does not play its own twice', () => {
    const tested = (run: string, environment: string) =>
      linesOf(run).find(
        ({ player, evaluation }) =>
          player === 'policy' && evaluation.environment === environment && evaluation.temperature === 0,
      )!;
    for (const column of ids) {
      const tasks = runs().map((run) =>
        tested(run, column)
          .outcomes.map(({ task }) => task)
          .join(),
      );
      expect(new Set(tasks).size).toBe(1);
    }
    const rates = first.document.cells.map(({ trained, tested: column, success }) => {
      const own = [1, 2].map((seed) => tested(join(output, 'cells', trained!, `seed-${seed}`), column!));
      expect((own[0]!.evaluation.success.rate + own[1]!.evaluation.success.rate) / 2).toBeCloseTo(success!.rate, 12);
      return success!.rate;
    });
    expect(new Set(rates).size).toBeGreaterThan(1);
    const run = join(output, 'cells', 'width-4-9', 'seed-1');
    const { splits, plugins } = read<RunManifest>(run, 'manifest.json');
    expect(Object.keys(splits!.transfer!)).toEqual(['width-20-31']);
    expect(plugins.filter(({ kind }) => kind === 'environment')).toHaveLength(2);
    const { evaluation, environments } = read<RunResult>(run, 'result.json');
    expect(environments!['width-4-9']!.evaluations[0]).toEqual({ ...evaluation, environment: 'width-4-9' });
  });

  it('shows the matrix in the terminal, in the report and in tables', async () => {
    const shown = await runWarm([...asked, ...settings, '--output', output]);
    const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;
    const [a, b] = first.document.cells;
    const row = shown.stdout.split('\n').find((line) => line.startsWith('width-4-9 '))!;
    expect(row).toMatch(new RegExp(`${percent(a!.success!.rate)} \\(\\S+ to \\S+\\) \\*`));
    expect(row).toContain(percent(b!.success!.rate));
    expect(shown.stdout).toContain('width-20-31 on width-4-9 − trained there');
    const html = readFileSync(join(output, 'report.html'), 'utf8');
    expect(html).toContain('"transfer":{"tested":["width-4-9","width-20-31"]');

    const markdown = await runWarm(['report', output, '--format', 'markdown', '--output', join(folder, 'page.md')]);
    expect(markdown.code).toBe(0);
    const page = readFileSync(join(folder, 'page.md'), 'utf8');
    expect(page).toMatch(/\| trained on +\| +on width-4-9 \| +on width-20-31 \| +elsewhere \|/);
    expect(page).toContain(`**${percent(a!.success!.rate)} (`);

    const tables = join(folder, 'tables');
    expect((await runWarm(['report', output, '--format', 'csv', '--output', tables])).code).toBe(0);
    const [head, ...rows] = readFileSync(join(tables, 'evaluations.csv'), 'utf8').trim().split('\n').map(cellsOf);
    const at = (name: string) => head!.indexOf(name);
    const finals = rows.filter((cells) => cells[at('player')] === 'policy' && cells[at('final')] === 'true');
    expect(new Set(finals.map((cells) => cells[at('environment')]))).toEqual(new Set(['', ...ids]));
  });

  it('compares another measure, at another temperature', async () => {
    const { document } = await ablate('--metric', 'turns', '--temperature', '1');
    expect(document).toMatchObject({ measure: 'turns', temperature: 1, status: 'completed' });
    const { measured } = document.cells[1]!;
    expect(measured!.mean).toBeGreaterThan(1);
    expect(document.comparisons[1]!.difference.mean).toBeCloseTo(
      measured!.mean - document.cells[3]!.measured!.mean,
      12,
    );
  });

  it('goes on where it was, and refuses what was changed', async () => {
    const sessions = () => runs().map((run) => read<RunManifest>(run, 'manifest.json').sessions.length);
    const gone = join(output, 'cells', 'width-20-31', 'seed-2');
    rmSync(gone, { recursive: true });
    const again = await ablate();
    expect(existsSync(gone)).toBe(true);
    expect(sessions()).toEqual([1, 1, 1, 1]);
    expect(again.document).toEqual({
      ...first.document,
      cells: first.document.cells.map((cell) => ({ ...cell, spent: expect.anything() as object })),
    });
    appendFileSync(join(gone, 'evaluations.jsonl'), '{}\n');
    expect(JSON.stringify((await ablate()).document)).toContain('was changed after it was complete');
  });
});

// A tokenizer built from numbers must spell unknown words without an error.
it('tests a policy in an environment whose words it has never seen', { timeout: 120_000 }, async () => {
  const words = [...settings, '--set', 'evaluation.final.transfer={crafts: {name: textcraft}}'];
  const run = join(folder, 'run');
  const { code, stdout } = await runWarm(['train', recipe, ...words, '--output', run]);
  expect(code).toBe(0);
  const { environments, evaluations } = read<RunResult>(run, 'result.json');
  const { crafts } = environments!;
  expect(evaluations.every((summary) => summary.environment === undefined)).toBe(true);
  for (const summary of [...crafts!.evaluations, ...Object.values(crafts!.baselines)]) {
    expect(summary).toMatchObject({ environment: 'crafts', failed: 0, success: { episodes: 12 } });
  }
  // It answers with numbers, which are not commands.
  expect(crafts!.evaluations[0]!.invalid).toBe(1);
  expect(Object.keys(crafts!.baselines).sort()).toEqual(['demonstrator', 'oracle', 'random']);
  expect(stdout).toMatch(
    /on crafts, without training in it\n.*success.*\nrandom .*\ndemonstrator .*\ntrained .*0\.0 %/,
  );
});
