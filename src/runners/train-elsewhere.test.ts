import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { Recipe } from '../config/recipe-schema.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { causeOf, failureOf } from './failure-of.js';
import { trainElsewhere } from './train-elsewhere.js';

const failed = (code: ErrorCode) => failureOf(new AgentgymError(code, { message: 'It broke.', hint: 'Mend it.' }));

it.each(['AG_RUNNER_UNAVAILABLE', 'AG_TRAINING_DIVERGED'] as const)(
  'throws what ended a run, once: %s',
  async (code) => {
    const runner = { workers: 1, sharesDisk: false, train: () => Promise.resolve(failed(code)) };
    const output = join(tmpdir(), 'agentgym-that-is-not-there');
    const training = trainElsewhere({
      ...{ runner, output, runsFolder: output, signal: new AbortController().signal, listener: () => undefined },
      recipe: { name: 'any' } as Recipe,
    });
    await expect(training).rejects.toMatchObject({ code, message: 'It broke.', hint: 'Mend it.' });
  },
);

it('names the fix of a fault of the cluster in tables', () => {
  expect(causeOf(failed('AG_RUNNER_UNAVAILABLE'))).toBe('It broke. Mend it.');
  expect(causeOf(failed('AG_TRAINING_DIVERGED'))).toBe('It broke.');
  expect(causeOf({ status: 'failed', cause: 'it ended', code: 'AG_RUNNER_UNAVAILABLE' })).toBe('it ended');
});
