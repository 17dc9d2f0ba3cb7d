// The plugins of the repository, as somebody else's would be checked. Whether they were built is the business of the build.
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { pluginFolders } from '../architecture/source-files.js';
import { runCli } from '../cli/run-cli.js';
import type { ToldReport } from './make-plugin.js';

const folders = pluginFolders();

it('there are plugins to check', () => expect(folders.length).toBeGreaterThanOrEqual(13));

it.concurrent.each(folders)('%s passes', { timeout: 300_000 }, async (folder) => {
  const { code, stdout, stderr } = await runCli(['plugins', 'check', join(folder), '--json', '--skip', 'up-to-date']);
  expect(stdout, stderr).toContain('"contributions"');
  const report = JSON.parse(stdout) as ToldReport;
  const findings = [...report.checks, ...report.contributions.flatMap(({ checks }) => checks)].flatMap(
    ({ id, findings: found }) => found.map(({ message }) => `${id}: ${message}`),
  );
  expect(findings).toEqual([]);
  expect(report.contributions.length).toBeGreaterThan(0);
  expect({ code, passed: report.passed }).toEqual({ code: 0, passed: true });
});
