import { describe, expect, it } from 'vitest';

import type { CellSummary } from './ablation-result.js';
import { answerTransfer } from './answer-transfer.js';
import { testedId } from './cell-id.js';
import type { CellComparison } from './compare-cells.js';
import { trainedThere } from './transfer-summary.js';

const levels = ['narrow', 'wide'];

function cell(trained: string, tested: string, rate: number | null): CellSummary {
  return {
    id: testedId(trained, tested),
    trained,
    tested,
    settings: {},
    seeds: rate === null ? [] : [1, 2],
    success: rate === null ? null : { rate, low: rate - 0.1, high: rate + 0.1 },
    spent: {},
    status: rate === null ? 'incomplete' : 'completed',
    notes: [],
    runs: [{ seed: 1, status: rate === null ? 'missing' : 'completed', run: `${trained}/1` }],
  };
}

function comparison(a: string, b: string, mean: number, corrected: number): CellComparison {
  const difference = { mean, low: mean - 0.02, high: mean + 0.02 };
  return { a, b, difference, p: corrected / 2, corrected, seeds: 2, tasks: 100, design: 'paired' };
}

const cells = [
  cell('narrow', 'narrow', 0.8),
  cell('narrow', 'wide', 0.2),
  cell('wide', 'narrow', 0.79),
  cell('wide', 'wide', 0.6),
];
const comparisons = [
  comparison('narrow.on.narrow', 'wide.on.narrow', -0.01, 0.4),
  comparison('wide.on.wide', 'narrow.on.wide', -0.4, 0.0001),
];
const transfer = (corrected: number) => ({
  trained: levels,
  tested: levels,
  notes: [],
  elsewhere: [comparison(trainedThere, 'narrow', -0.4, 0.001), comparison(trainedThere, 'wide', -0.01, 0.4)],
  best: { trained: 'wide', against: [comparison('narrow', 'wide', 0.19, corrected)] },
});

describe('answerTransfer', () => {
  it('says what carries over best, and on each column what training elsewhere loses', () => {
    expect(answerTransfer({ cells, comparisons, measure: 'success' }, transfer(0.01))).toBe(
      'wide transfers best, separably from all others. On the other levels its mean difference is -1.0 points ' +
        '(-3.0 to +1.0) from the cells trained on them. On narrow: 80.0 % when trained there; wide -1.0 points (-3.0 to +1.0; not separable). ' +
        "On wide: 60.0 % when trained there; narrow -40.0 points (-42.0 to -38.0; p < 0.001). Intervals are of 95 %, p after Holm's correction.",
    );
  });

  it('does not call a lead real that chance explains', () => {
    const answer = answerTransfer({ cells, comparisons, measure: 'success' }, transfer(0.2));
    expect(answer).toMatch(/^wide has the best mean on the other levels, but is not separable from narrow\. /);
  });

  it('counts the differences where there are many columns', () => {
    const many = ['a', 'b', 'c', 'd'];
    const all = many.flatMap((trained) => many.map((tested) => cell(trained, tested, 0.5)));
    const others = many.flatMap((tested) =>
      many.filter((trained) => trained !== tested).map((b) => [tested, b] as const),
    );
    const answerOf = (corrected: (index: number) => number, sign = 1) =>
      answerTransfer(
        {
          cells: all,
          measure: 'success',
          comparisons: others.map(([a, b], index) =>
            comparison(testedId(a, a), testedId(b, a), (sign * -(index + 1)) / 100, corrected(index)),
          ),
        },
        { ...transfer(1), trained: many, tested: many },
      );
    expect(answerOf((index) => (index < 7 ? 0.001 : 0.5))).toContain(
      ' 7 of the 12 differences from training there are separable, and negative (-7.0 to -1.0 points). ' +
        'Not separable: b on c, d on c, a on d, b on d, and 1 more. Intervals',
    );
    expect(answerOf(() => 0.001, -1)).toContain(
      ' 12 of the 12 differences from training there are separable, and positive (+1.0 to +12.0 points). Intervals',
    );
    expect(answerOf(() => 0.5)).toContain(' 0 of the 12 differences from training there are separable. Not separable:');
  });

  // Goes red when runs are counted once per column.
  it('says what is missing, each run once', () => {
    const some = [
      cell('narrow', 'narrow', 0.8),
      cell('narrow', 'wide', 0.2),
      cell('wide', 'narrow', null),
      cell('wide', 'wide', null),
    ];
    const answer = answerTransfer(
      { cells: some, comparisons: [], measure: 'success' },
      { ...transfer(1), elsewhere: [] },
    );
    expect(answer).toContain('No two cells have a common seed yet. On narrow: 80.0 % when trained there.');
    expect(answer).toMatch(/1 of 2 runs is missing\.$/);
    const none = some.map(({ trained, tested }) => cell(trained!, tested!, null));
    expect(answerTransfer({ cells: none, comparisons: [], measure: 'success' }, transfer(1))).toMatch(/^No answer yet/);
  });
});
