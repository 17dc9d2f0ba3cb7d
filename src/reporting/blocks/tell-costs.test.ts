import { expect, it } from 'vitest';

import { costBlocks, spentText } from './tell-costs.js';

it('says what was spent, and nothing of what was not', () => {
  const counts = { demonstrations: 0, tasks: 40, episodes: 1234, turns: 5000, tokens: 98765, trainedTokens: 1_500_000 };
  expect(spentText({ ...counts, optimizerSteps: 12, operations: 2.345e12, units: 1000 })).toBe(
    '1.0k units, 1.2k episodes, 40 distinct tasks, 5.0k turns, 98.8k sampled tokens, 1.5M trained tokens, 12 optimizer steps, 2.3e12 FLOPs',
  );
  // A policy that cannot count its operations, in a run without a budget.
  expect(spentText({ demonstrations: 60, optimizerSteps: 3 })).toBe('60 demonstrations, 3 optimizer steps');
  expect(spentText({})).toBe('');
});

// Goes red when a currency has no column, or when a table shows one of which nothing was spent.
it('puts currencies in columns, in one order, without those of which nothing was spent', () => {
  const [table] = costBlocks(
    [
      { name: 'sft', spent: { seconds: 75, demonstrations: 1000, turns: 0 } },
      { name: 'rl', spent: { seconds: 3700, episodes: 1_234_567, operations: 2.3e12, turns: 0 } },
    ],
    'stage',
  );
  expect(table).toMatchObject({
    columns: ['stage', 'demonstrations', 'episodes', 'FLOPs', 'time'].map((title) => ({ title })),
    rows: [
      { cells: ['sft', '1,000', '–', '–', '1 min 15 s'] },
      { cells: ['rl', '–', '1,234,567', '2.3e12', '1 h 01 min'] },
    ],
  });
  expect(costBlocks([{ name: 'sft', spent: { turns: 0 } }], 'stage')).toEqual([]);
});
