// Checks the plugins of the repository like plugins of others. The build takes care that they are up to date.
import { basename, join } from 'node:path';

import { expect, it } from 'vitest';

import { allChecks } from '../../src/plugin-check/all-checks.js';
import { pluginFolders } from '../architecture/source-files.js';
import { isLong } from '../long.js';
import { runWarm } from '../cli/warm-cli.js';
import type { ToldReport } from './make-plugin.js';

const folders = pluginFolders();
/**
 * Only this example runs its kit here, in long tests: each plugin passes the kits, with more options, in a separate test
 * (conformance.test.ts).
 */
const WHOLE = 'env-guess-number';
const aroundTheKit = ['package', 'entry', 'contribution', 'entry and contribution']
  .flatMap((kind) => allChecks[kind]!.map(({ id }) => id))
  // test/packages/package-contents.test.ts looks at every packed file.
  .filter((id) => !['up-to-date', 'files'].includes(id))
  .flatMap((id) => ['--only', id]);

/** The largest; long tests check the others, too. */
const first = ['policy-transformer'];

const flagsFor = (folder: string): readonly string[] =>
  basename(folder) === WHOLE ? ['--skip', 'up-to-date'] : aroundTheKit;

/** Contributions that an option of the user makes usable: a folder, a module. Their defaults are refused. */
const NEED_AN_OPTION = ['python', 'textworld-files'];

it('there are plugins to check', () => expect(folders.length).toBeGreaterThanOrEqual(13));

it.concurrent.each(folders.filter((folder) => isLong || first.includes(basename(folder))))(
  '%s passes',
  { timeout: 300_000 },
  async (folder) => {
    const { code, stdout, stderr } = await runWarm(['plugins', 'check', join(folder), '--json', ...flagsFor(folder)]);
    expect(stdout, stderr).toContain('"contributions"');
    const report = JSON.parse(stdout) as ToldReport;
    const usable = report.contributions.filter(({ name }) => !NEED_AN_OPTION.includes(name));
    const findings = [...report.checks, ...usable.flatMap(({ checks }) => checks)]
      // One plugin asks a server, which need not run here.
      .filter(({ id }) => id !== 'available')
      .flatMap(({ id, findings: found }) => found.map(({ message }) => `${id}: ${message}`));
    expect(findings).toEqual([]);
    expect(report.contributions.length).toBeGreaterThan(0);
    const passed = usable.length === report.contributions.length;
    expect({ code, passed: report.passed }).toEqual({ code: passed ? 0 : 1, passed });
  },
);
