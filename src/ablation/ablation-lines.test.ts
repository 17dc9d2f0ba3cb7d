import { expect, it } from 'vitest';

import { comparisonLines } from './ablation-lines.js';
import type { CellComparison } from './compare-cells.js';

// Goes red when a probability has the sign of its sentence, or stands below an empty title.
it('a table of differences has one title for each column, and numbers below it', () => {
  const difference = { mean: 0.1, low: -0.1, high: 0.3 };
  const one: CellComparison = { a: 'a', b: 'b', difference, p: 1, corrected: 1, seeds: 3, tasks: 9, design: 'paired' };
  const [head, first, second] = comparisonLines(
    [one, { ...one, p: 0.0001, corrected: 0.02 }],
    'success',
    (line) => line,
  );
  expect(head!.trimEnd()).toMatch(/^difference +points +95 % interval +p +p \(Holm\) +tasks$/);
  expect(first!.trimEnd()).toMatch(/^b - a +10\.0 +-10\.0 to 30\.0 +1\.00 +1\.00 +9$/);
  expect(second!.trimEnd()).toMatch(/^b - a +10\.0 +-10\.0 to 30\.0 +< 0\.001 +0\.020 +9$/);
});
