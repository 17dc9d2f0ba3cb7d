import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { trainRun } from '../browser/trained-run.js';
import { documentOf } from './run-cli.js';
import { runWarm } from './warm-cli.js';

it('agentgym report writes one file, says where, and tells of a log that was cut', async () => {
  const run = await trainRun(1);
  appendFileSync(join(run, 'evaluations.jsonl'), '{"half');
  const output = join(run, '..', 'elsewhere', 'page.html');
  const result = await runWarm(['report', run, '--output', output, '--episodes', '10', '--json']);
  expect(result.code).toBe(0);
  expect(result.stderr).toContain('the last line of evaluations.jsonl is incomplete and left out');
  const document = documentOf(result);
  expect(document).toMatchObject({
    formatVersion: 1,
    report: output,
    runs: [run],
    answer: expect.stringMatching(/of 30 test episodes/),
    episodes: { shown: 10 },
  });
  const html = readFileSync(output, 'utf8');
  expect(Buffer.byteLength(html)).toBe(document['bytes']);
  expect(existsSync(join(run, 'report.html'))).toBe(false);

  const human = await runWarm(['report', run]);
  expect(human.stdout).toContain(`Report: ${join(run, 'report.html')}`);
  expect(existsSync(join(run, 'report.html'))).toBe(true);
});

it('ends with 2 and a hint for what is no run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-report-'));
  for (const [reference, code] of [
    [folder, 'AG_NOT_A_RUN'],
    ['nosuch', 'AG_RUN_NOT_FOUND'],
  ]) {
    const result = await runWarm(['report', reference!, '--runs', folder, '--json']);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code, hint: expect.any(String) } });
  }
});

it('exports in other formats, and refuses what it cannot do with 2', async () => {
  const run = await trainRun(2);
  const output = join(run, '..', 'tables');
  const tables = await runWarm(['report', run, '--format', 'csv', '--output', output, '--json']);
  expect(tables.code).toBe(0);
  const { rows } = documentOf(tables) as { rows: Record<string, number> };
  const lines = (name: string) => readFileSync(join(run, name), 'utf8').trimEnd().split('\n').length;
  expect(rows['metrics']).toBe(lines('metrics.jsonl'));
  expect(rows['evaluations']).toBe(lines('evaluations.jsonl'));
  expect(rows['turns']).toBeGreaterThan(rows['episodes']!);
  const markdown = await runWarm(['report', run, '--format', 'markdown']);
  expect(markdown.code).toBe(0);
  expect(markdown.stdout).toMatch(/\n\| trained +\| +[\d.]+ % \|/);

  for (const [flags, code] of [
    [['--format', 'xlsx'], 'AG_COMMAND_USAGE'],
    [['--format', 'csv', '--episodes', '3'], 'AG_COMMAND_USAGE'],
    [['--by', 'step'], 'AG_COMMAND_USAGE'],
    [['--format', 'markdown', '--metric', 'turns'], 'AG_COMMAND_USAGE'],
    [['--format', 'svg', '--by', 'miles'], 'AG_COMMAND_USAGE'],
    [['--format', 'svg', '--force'], 'AG_COMMAND_USAGE'],
    [['--format', 'svg', '--metric', 'rollout/succes'], 'AG_FIGURE_EMPTY'],
    [['--force'], 'AG_COMMAND_USAGE'],
    [['--format', 'csv', '--output', run], 'AG_OUTPUT_EXISTS'],
  ] as const) {
    const result = await runWarm(['report', run, ...flags, '--json']);
    expect([result.code, documentOf(result)]).toMatchObject([2, { error: { code, hint: expect.any(String) } }]);
  }
});

it('draws two real seeds as a figure, to standard output and to a file that only it writes over', async () => {
  const runs = [await trainRun(1), await trainRun(2)];
  const figure = ['report', ...runs, '--format', 'svg', '--metric', 'rollout/success'];
  const printed = await runWarm([...figure, '--by', 'turns']);
  expect(printed.code, printed.stderr).toBe(0);
  expect(printed.stdout).toMatch(/^<!-- [^>]+ -->\n<svg [^]+<\/svg>\n$/);
  expect(printed.stdout).toContain('>Turns played for training</text>');
  expect(printed.stdout).toContain('Mean over 2 seeds');

  const output = join(mkdtempSync(join(tmpdir(), 'agentgym-figure-')), 'figure.svg');
  for (const by of ['step', 'turns'])
    expect((await runWarm([...figure, '--by', by, '--output', output])).stdout).toBe(`Report: ${output}\n`);
  expect(readFileSync(output, 'utf8')).toBe(printed.stdout);
  writeFileSync(output, '<svg/>');
  const refused = await runWarm([...figure, '--output', output, '--json']);
  expect([refused.code, documentOf(refused)]).toMatchObject([2, { error: { code: 'AG_OUTPUT_EXISTS' } }]);
  expect(readFileSync(output, 'utf8')).toBe('<svg/>');
  expect((await runWarm([...figure, '--output', output, '--force'])).code).toBe(0);
});
