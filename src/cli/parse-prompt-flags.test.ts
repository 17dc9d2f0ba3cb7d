import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Parser } from '@oclif/core';
import { expect, it } from 'vitest';

import { askedPrompt } from './parse-prompt-flags.js';
import { promptFlags } from './prompt-flags.js';

const asked = async (...words: string[]) => askedPrompt((await Parser.parse(words, { flags: promptFlags })).flags);

it('reads a system text from the line or from a file', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'agentgym-prompt-')), 'system.txt');
  writeFileSync(file, 'Be brief.\n\n{environment}');
  expect(await asked('--prompt-system', `@${file}`)).toEqual({ system: 'Be brief.\n\n{environment}' });
  expect(await asked('--prompt-system', 'Be brief.')).toEqual({ system: 'Be brief.' });
  expect(await asked('--prompt-system', '')).toEqual({ system: '' });
  await expect(asked('--prompt-system', '@/nowhere/at/all')).rejects.toThrow('/nowhere/at/all');
});

it('asks for games of an expert or of a file, and for nothing by default', async () => {
  expect(await asked()).toBeUndefined();
  expect(await asked('--prompt-examples', '0')).toEqual({ examples: { count: 0 } });
  expect(await asked('--prompt-expert', 'oracle')).toEqual({ examples: { expert: 'oracle' } });
  expect(await asked('--prompt-examples-file', 'g.jsonl', '--prompt-examples', '3')).toEqual({
    examples: { file: 'g.jsonl', count: 3 },
  });
});

// Mutation: leave the relationship of the flags, or the check of 0, out.
it('refuses flags without effect', async () => {
  await expect(asked('--prompt-expert', 'oracle', '--prompt-examples-file', 'g.jsonl')).rejects.toThrow();
  await expect(asked('--prompt-expert', 'oracle', '--prompt-examples', '0')).rejects.toMatchObject({
    code: 'AG_COMMAND_USAGE',
    message: '`--prompt-expert` has no effect with `--prompt-examples 0`.',
  });
});
