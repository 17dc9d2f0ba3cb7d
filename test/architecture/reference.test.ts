import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { referencePages } from '../../scripts/reference-pages.js';
import { repository } from './source-files.js';

describe('docs/reference', () => {
  it.each(Object.entries(referencePages()))('%s is what the code says: `npm run reference`', (name, text) => {
    expect(readFileSync(join(repository, 'docs/reference', name), 'utf8')).toBe(text);
  });
});
