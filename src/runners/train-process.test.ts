import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { Recipe } from '../config/recipe-schema.js';
import { processOutcome, trainInProcess } from './train-process.js';

// A process that is interrupted before it handles the signal ends without a document.
it('a run that is interrupted while its process starts has not failed', async () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'agentgym-process-')), 'cell', 'seed-1');
  const recipe = { recipeVersion: 1 } as unknown as Recipe;
  const run = { recipe, directory, label: { tags: [] } };
  const controller = new AbortController();
  const training = trainInProcess(run, false, () => undefined, controller.signal);
  setTimeout(() => controller.abort(), 60);
  expect(await training).toEqual({ status: 'interrupted', seconds: 0 });
  // The recipe is no recipe, so a process that is not interrupted fails.
  const failed = await trainInProcess(run, false, () => undefined, new AbortController().signal);
  expect(failed.status).toBe('failed');
});

it.each([
  ['SIGKILL', 'last words\n', 'the process ended with SIGKILL: last words'],
  [70, '', 'the process ended with 70'],
  [
    'SIGABRT',
    '[1] Mark-Compact\nFATAL ERROR: Reached heap limit - JavaScript heap out of memory\n',
    /^the process ran out of memory: /,
  ],
])('says why a process ended with %s and no result', (end, errors, cause) => {
  const outcome = processOutcome(end, '', errors);
  expect(outcome).toEqual({
    status: 'failed',
    cause: typeof cause === 'string' ? cause : (expect.stringMatching(cause) as string),
  });
});

it('tells the code and the cure of an error that the user can mend', () => {
  const end = (error: object) => processOutcome(2, JSON.stringify({ formatVersion: 1, error }), 'a warning\n');
  const memory = { code: 'AG_MEMORY', message: 'it is too large', hint: 'Take less.' };
  expect(end(memory)).toEqual({ status: 'failed', cause: 'it is too large', code: 'AG_MEMORY', hint: 'Take less.' });
  const defect = { code: 'AG_BUG', message: 'x is undefined', hint: 'Report it.' };
  expect(end(defect)).toEqual({ status: 'failed', cause: 'x is undefined' });
});
