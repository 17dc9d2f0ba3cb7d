import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { environmentKit } from '@agentgym/cli/testing';
import { afterAll, describe, it } from 'vitest';

import contributions from './index.js';
import * as questions from './questions.js';

describe('questions', () => {
  const files = mkdtempSync(join(tmpdir(), 'questions-'));
  afterAll(() => rmSync(files, { recursive: true }));
  for (const [part, count] of [
    ['train', 200],
    ['test', 20],
  ] as const) {
    const rows = Array.from({ length: count }, (_, n) => ({ question: `${part}: ${n} + 1?`, answer: `#### ${n + 1}` }));
    writeFileSync(join(files, `${part}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  const [contribution] = contributions;
  environmentKit.describe(it, { ...questions, contribution: contribution!, options: { files, held: 0.1 } });
});
