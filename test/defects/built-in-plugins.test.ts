// The plugins of the repository, as somebody else's would be checked. Whether they were built is the business of the build.
import { basename, join } from 'node:path';

import { expect, it } from 'vitest';

import { allChecks } from '../../src/plugin-check/all-checks.js';
import { pluginFolders } from '../architecture/source-files.js';
import { runCli } from '../cli/run-cli.js';
import type { ToldReport } from './make-plugin.js';

const folders = pluginFolders();
/** One algorithm stands for all here: each passes the kit of algorithms, with more options, in a test of its own (conformance.test.ts). */
const standsFor = 'algo-grpo';
const aroundTheKit = allChecks()
  .filter(({ kind }) => ['package', 'entry', 'contribution'].includes(kind))
  .flatMap(({ checks }) => checks.map(({ id }) => id))
  .filter((id) => id !== 'up-to-date')
  .flatMap((id) => ['--only', id]);

const flagsFor = (folder: string): readonly string[] =>
  basename(folder).startsWith('algo-') && basename(folder) !== standsFor ? aroundTheKit : ['--skip', 'up-to-date'];

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
