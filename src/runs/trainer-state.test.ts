import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readTrainerState } from './trainer-state.js';

const spent = { demonstrations: 20, tasks: ['a'], units: null };

function read(progress: object) {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-state-'));
  const counts = { step: 1, runStep: 1, stageOffsets: {}, seconds: 1, logs: {} };
  const state = { formatVersion: 1, stage: 'rl', ...counts, progress, run: {}, recipe: {} };
  writeFileSync(join(folder, 'trainer.json'), JSON.stringify(state));
  return readTrainerState(folder);
}

// Goes red when a run on a server cannot resume: servers do not say how many operations they needed.
it('reads a state without a number of operations', async () => {
  expect(await read({ spent: { ...spent, operations: null } })).toMatchObject({ stage: 'rl' });
});

it.each([
  [{ spent: { ...spent, demonstrations: [null] } }, '`progress.spent.demonstrations` is [null], not a number'],
  [{ spent: { ...spent, tasks: 5 } }, '`progress.spent.tasks` is 5, not a list'],
  [{ step: 'x' }, '`progress.step` is "x", not a number'],
])('says what of a state is wrong: %j', async (progress, problem) => {
  expect(await read(progress)).toContain(problem);
});
