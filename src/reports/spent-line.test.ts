import { expect, it } from 'vitest';

import { spentLine } from './spent-line.js';

it('says what was spent, and nothing of what was not', () => {
  const counts = { demonstrations: 0, tasks: 40, episodes: 1234, turns: 5000, tokens: 98765, trainedTokens: 1_500_000 };
  expect(spentLine({ ...counts, optimizerSteps: 12, operations: 2.345e12, units: 1000 })).toBe(
    '1.0k units, 1.2k episodes, 40 distinct tasks, 5.0k turns, 98.8k sampled tokens, 1.5M trained tokens, 12 optimizer steps, 2.3e12 FLOPs',
  );
  // A policy that cannot count its operations, in a run without a budget.
  expect(spentLine({ demonstrations: 60, optimizerSteps: 3 })).toBe('60 demonstrations, 3 optimizer steps');
  expect(spentLine({})).toBe('');
});
