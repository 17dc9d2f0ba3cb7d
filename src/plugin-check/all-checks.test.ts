import { expect, it } from 'vitest';

import { checkTable, type CheckedKind } from '../testing/check-table.js';
import { allChecks } from './all-checks.js';

// Goes red when a check is added without a row, or a row stays behind that no check has.
it('the table has a row for each check, and none to spare', () => {
  const told = Object.fromEntries(allChecks().map(({ kind, checks }) => [kind, checks.map(({ id }) => id).toSorted()]));
  const rows = Object.fromEntries(
    (Object.keys(checkTable) as CheckedKind[]).map((kind) => [kind, Object.keys(checkTable[kind]).toSorted()]),
  );
  expect(told).toEqual(rows);
});
