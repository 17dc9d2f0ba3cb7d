import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { nameOfRun, readLabel } from './run-label.js';

it('shows names and tags of others in one line each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-label-'));
  writeFileSync(
    join(folder, 'label.json'),
    JSON.stringify({ name: 'a\nsuccess 100 %', tags: ['b\r\nc'], note: 'd\ne' }),
  );
  expect(await readLabel(folder)).toEqual({ name: 'a success 100 %', tags: ['b c'], note: 'd\ne' });
  expect(nameOfRun('/runs/recipe-abc', { id: 'abc', name: 'x\ny' }, { tags: [] })).toBe('x y');
});
