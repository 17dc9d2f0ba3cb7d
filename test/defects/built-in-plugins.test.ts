// The plugins of the repository, as somebody else's would be checked. Whether they were built is the business of the
// build.
import { basename, join } from 'node:path';

import { expect, it } from 'vitest';

import { allChecks } from '../../src/plugin-check/all-checks.js';
import { pluginFolders } from '../architecture/source-files.js';
import { runCli } from '../cli/run-cli.js';
import type { ToldReport } from './make-plugin.js';

const folders = pluginFolders();
/**
 * They stand for all here: each plugin passes the kits, with more options, in a test of its own (conformance.test.ts).
 */
const WHOLE = ['algo-grpo', 'env-guess-number'];
const aroundTheKit = allChecks()
  .filter(({ kind }) => ['package', 'entry', 'contribution'].includes(kind))
  .flatMap(({ checks }) => checks.map(({ id }) => id))
  // Every packed file is looked at by test/packages/package-contents.test.ts.
  .filter((id) => !['up-to-date', 'files'].includes(id))
  .flatMap((id) => ['--only', id]);

const flagsFor = (folder: string): readonly string[] =>
  WHOLE.includes(basename(folder)) ? ['--skip', 'up-to-date'] : aroundTheKit;

it('there are plugins to check', () => expect(folders.length).toBeGreaterThanOrEqual(13));

it.concurrent.each(folders)('%s passes', { timeout: 300_000 }, async (folder) => {
  const { code, stdout, stderr } = await runCli(['plugins', 'check', join(folder), '--json', ...flagsFor(folder)]);
  expect(stdout, stderr).toContain('"contributions"');
  const report = JSON.parse(stdout) as ToldReport;
  const findings = [...report.checks, ...report.contributions.flatMap(({ checks }) => checks)].flatMap(
    ({ id, findings: found }) => found.map(({ message }) => `${id}: ${message}`),
  );
  expect(findings).toEqual([]);
  expect(report.contributions.length).toBeGreaterThan(0);
  expect({ code, passed: report.passed }).toEqual({ code: 0, passed: true });
});
