// Changes of the types that plugins compile against must show in review. Needs the output of `npm run compile`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { API_REPORTS, apiReport } from '../../scripts/api-reports.js';
import { repository } from '../architecture/source-files.js';

describe('the report of the types of @agentgym/cli', () => {
  // Goes red when a contract changes, even by an optional member.
  it.each(Object.keys(API_REPORTS) as (keyof typeof API_REPORTS)[])(
    '%s is that of the sources',
    (name) => {
      const committed = readFileSync(join(repository, 'test', 'api', name), 'utf8');
      const cure =
        'If the change is meant, run `npm run api` after `npm run compile`, and say in a changeset what plugin authors must do.';
      expect(apiReport(name), cure).toBe(committed);
    },
    60_000,
  );

  // Goes red without `includeForgottenExports`: changes of types that contributions share would not show.
  it('holds what is exported, and what that is made of', () => {
    const report = readFileSync(join(repository, 'test', 'api', 'cli.api.md'), 'utf8');
    expect(report).toContain('export interface Environment ');
    expect(report).toContain('interface ContributionBase<');
  });
});
