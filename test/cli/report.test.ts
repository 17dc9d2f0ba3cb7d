import { appendFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { trainRun } from '../browser/trained-run.js';
import { documentOf, runCli } from './run-cli.js';

it('agentgym report writes one file, says where, and tells of a log that was cut', async () => {
  const run = await trainRun(1);
  appendFileSync(join(run, 'evaluations.jsonl'), '{"half');
  const output = join(run, '..', 'elsewhere', 'page.html');
  const result = await runCli(['report', run, '--output', output, '--episodes', '10', '--json']);
  expect(result.code).toBe(0);
  expect(result.stderr).toContain('the last line of evaluations.jsonl was half-written and is left out');
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
  expect(html).toContain('Permission is hereby granted');
  expect(existsSync(join(run, 'report.html'))).toBe(false);

  const human = await runCli(['report', run]);
  expect(human.stdout).toContain(`Report: ${join(run, 'report.html')}`);
  expect(existsSync(join(run, 'report.html'))).toBe(true);
});

it('ends with 2 and a hint for what is no run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-report-'));
  for (const [reference, code] of [
    [folder, 'AG_NOT_A_RUN'],
    ['nosuch', 'AG_RUN_NOT_FOUND'],
  ]) {
    const result = await runCli(['report', reference!, '--runs', folder, '--json']);
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({ error: { code, hint: expect.any(String) } });
  }
});
