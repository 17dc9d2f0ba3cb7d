import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { errorCodes } from '../../src/errors/error-codes.js';
import { sourceFiles } from './source-files.js';

describe('error codes', () => {
  const table = Object.keys(errorCodes);

  it('are the same set in the table and in the code', () => {
    const files = sourceFiles('src').filter((file) => !file.endsWith('errors/error-codes.ts'));
    const used = new Set(files.flatMap((file) => readFileSync(file, 'utf8').match(/\bAG_[A-Z_]+\b/g) ?? []));
    expect([...used].sort()).toEqual(table);
  });

  it('stand in order, with a sentence each and no host name', () => {
    expect(table).toEqual([...table].sort());
    for (const { meaning, cure } of Object.values(errorCodes)) {
      expect(meaning).toMatch(/\.$/);
      expect(cure).toMatch(/\.$/);
    }
  });
});
