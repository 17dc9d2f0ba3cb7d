import { describe, expect, it } from 'vitest';

import { answerQuestion } from './answer-question.js';
import type { GridEffect } from './grid-effects.js';
import type { Reservation } from '../reporting/reservations.js';
import type { CellComparison } from './compare-cells.js';
import type { CellSummary } from './ablation-result.js';

function cell(
  id: string,
  rate: number | null,
  status: CellSummary['runs'][number]['status'] = 'completed',
): CellSummary {
  return {
    id,
    settings: {},
    seeds: rate === null ? [] : [1],
    success: rate === null ? null : { rate, low: rate - 0.1, high: rate + 0.1 },
    spent: {},
    status: status === 'completed' ? 'completed' : 'incomplete',
    notes: [],
    runs: [{ seed: 1, status, run: id }],
  };
}

function comparison(a: string, b: string, mean: number, corrected: number, detectable = 0.034): CellComparison {
  const difference = { mean, low: mean - 0.02, high: mean + 0.02 };
  return { a, b, difference, p: corrected / 2, corrected, seeds: 3, tasks: 100, design: 'paired', detectable };
}

const base = { name: 'x', axis: 'grid', question: '?', status: 'completed', measure: 'success', temperature: 0, split: 'test', reference: 'a' } as const; // prettier-ignore

describe('answerQuestion', () => {
  it('ranks the cells and tells the differences that are real, with what they rest on', () => {
    const cells = [cell('a', 0.5), cell('b', 0.62), cell('c', 0.44)];
    const comparisons = [comparison('a', 'b', 0.12, 0.0004), comparison('a', 'c', -0.06, 0.031)];
    expect(answerQuestion({ ...base, cells, comparisons })).toBe(
      'Success: b (62.0 %); a (50.0 %); c (44.0 %). ' +
        "b is above a by 12.0 points (95 % interval 10.0 to 14.0; p < 0.001 after Holm's correction). " +
        "a is above c by 6.0 points (95 % interval 4.0 to 8.0; p = 0.031 after Holm's correction).",
    );
  });

  it('says what could have been seen where nothing is separable', () => {
    const cells = [cell('a', 0.5), cell('b', 0.51)];
    expect(answerQuestion({ ...base, cells, comparisons: [comparison('a', 'b', 0.01, 0.6)] })).toBe(
      'Success: b (51.0 %); a (50.0 %). Not separable: with 3 seeds and 100 tasks you can see differences above 3.4 points.',
    );
  });

  it('says where only the correction for many comparisons stands between', () => {
    const cells = [cell('a', 0.5), cell('b', 0.6), cell('c', 0.58)];
    const comparisons = [comparison('a', 'b', 0.1, 0.06), comparison('a', 'c', 0.08, 0.2)];
    expect(answerQuestion({ ...base, cells, comparisons })).toBe(
      'Success: b (60.0 %); c (58.0 %); a (50.0 %). One difference is separable without correction for 2 comparisons, but not with it: b − a. Run more seeds.',
    );
  });

  // Goes red when the answer reports a difference that its interval does not support.
  it('never calls a difference separable beside an interval that is not to be believed', () => {
    const cells = [cell('a', 0.5), { ...cell('b', 0.62), title: 'bee, 2' }];
    const said = (reservation: Reservation) => {
      const one = comparison('a', 'b', 0.12, 0.0004);
      const comparisons = [{ ...one, difference: { ...one.difference, reservation } }];
      return answerQuestion({ ...base, cells, comparisons }).replace('Success: bee, 2 (62.0 %); a (50.0 %). ', '');
    };
    expect(said('one-seed')).toBe(
      'One seed per cell says nothing about other seeds, so no difference is called separable. Run three seeds or more.',
    );
    expect(said('two-seeds')).toBe(
      'Two seeds do not show how much seeds differ, so no difference is called separable. Run three seeds or more.',
    );
    expect(said('narrow')).toBe(
      'No difference is separable. One interval excludes 0, but is narrow (bee, 2 − a): the seeds differ less than the sampling of tasks alone would make them differ. Run more seeds.',
    );
  });

  it('tells what keys of a grid do over all others, and together', () => {
    const cells = [cell('a', 0.5), cell('b', 0.51)];
    const { design: _, ...effect } = comparison('ppo', 'grpo', 0.12, 0.0004);
    const joint = { ...effect, kind: 'interaction', a: 'grpo', b: 'groupSize 16' } as const;
    const said = (effects: readonly GridEffect[]) =>
      answerQuestion({ ...base, cells, comparisons: [comparison('a', 'b', 0.01, 0.6)], effects }).split('points. ')[1];
    expect(said([{ ...effect, kind: 'main' }, joint])).toBe(
      "Over the whole grid: grpo is above ppo by 12.0 points (95 % interval 10.0 to 14.0; p < 0.001 after Holm's correction). " +
        'The effect of groupSize 16 is 12.0 points larger with grpo than with the first value of that key.',
    );
    expect(
      said([
        { ...effect, kind: 'main', corrected: 0.3 },
        { ...joint, corrected: 0.4 },
      ]),
    ).toBe('Over the whole grid no key has a separable effect. No interaction is separable.');
  });

  it('tells how the best stands to each of the others where all are compared', () => {
    const cells = [cell('a', 0.5), cell('b', 0.62), cell('c', 0.44), cell('d', 0.61)];
    const comparisons = [
      comparison('a', 'b', 0.12, 0.0004),
      comparison('a', 'c', -0.06, 0.031),
      comparison('a', 'd', 0.11, 0.002),
      comparison('b', 'c', -0.18, 0.0001),
      comparison('b', 'd', -0.01, 0.7),
      comparison('c', 'd', 0.17, 0.0001),
    ];
    expect(answerQuestion({ ...base, cells, comparisons })).toBe(
      'Success: b (62.0 %); d (61.0 %); a (50.0 %); c (44.0 %). ' +
        "b is above a by 12.0 points (95 % interval 10.0 to 14.0; p < 0.001 after Holm's correction). " +
        'It is also separable from c. b is not separable from d.',
    );
  });

  it('tells of many cells the best, how many follow, and the last', () => {
    const cells = Array.from({ length: 7 }, (_, place) => cell(`c${place}`, 0.1 * (place + 1)));
    const comparisons = cells.slice(1).map(({ id }) => comparison('c0', id, 0.05, 0.06));
    expect(answerQuestion({ ...base, reference: 'c0', cells, comparisons })).toBe(
      'Success: c6 (70.0 %); c5 (60.0 %); c4 (50.0 %); then 3 more cells down to c0 (10.0 %). ' +
        '6 differences are separable without correction for 6 comparisons, but not with it: c1 − c0; c2 − c0; c3 − c0; 3 more. Run more seeds.',
    );
    // Goes red when the best cell is followed by the names of all others.
    const all = cells.slice(0, 6).map(({ id }) => comparison(id, 'c6', 0.05, 0.0001));
    expect(answerQuestion({ ...base, reference: 'c0', cells, comparisons: [...all, ...comparisons] })).toContain(
      'It is also separable from c1; c2; c3; c4; c5.',
    );
    const more = [...cells, cell('c7', 0.65), cell('c8', 0.66)];
    const longer = more.filter(({ id }) => id !== 'c6').map(({ id }) => comparison(id, 'c6', 0.05, 0.0001));
    expect(answerQuestion({ ...base, reference: 'c0', cells: more, comparisons: longer })).toContain(
      'It is also separable from c1; c2; c3 and 4 more.',
    );
    const six = answerQuestion({ ...base, reference: 'c0', cells: cells.slice(0, 6), comparisons: [] });
    expect(six).toContain('c5 (60.0 %); c4 (50.0 %); c3 (40.0 %); c2 (30.0 %); c1 (20.0 %); c0 (10.0 %).');
  });

  // Goes red when cells without room for a difference are told to run more seeds.
  it('asks for other tasks where all cells solve everything or nothing', () => {
    const narrow = (a: string, b: string) => {
      const one = comparison(a, b, 0, 1);
      return { ...one, difference: { ...one.difference, reservation: 'one-seed' } } as const;
    };
    const said = (rates: readonly number[]) => {
      const cells = rates.map((rate, i) => cell('abcd'[i]!, rate));
      return answerQuestion({ ...base, cells, comparisons: cells.slice(1).map(({ id }) => narrow('a', id)) });
    };
    expect(said([1, 1, 1, 1])).toMatch(
      /^Success: all 4 cells reach 100\.0 %\. The tasks are too easy to show a difference, and more seeds will not help: test on harder tasks/,
    );
    expect(said([0, 0])).toMatch(
      /^Success: all 2 cells reach 0\.0 %\. The tasks are too hard to show a difference, .*: test on easier tasks/,
    );
    expect(said([1, 0.985])).toMatch(/^Success: a \(100\.0 %\); b \(98\.5 %\)\. The tasks are too easy/);
    for (const rates of [
      [1, 1, 1],
      [0, 0.01],
    ])
      expect(said(rates)).not.toMatch(/Run|three seeds/);
    expect(said([1, 0.9])).toContain('Run three seeds or more.');
  });

  it('says that a difference between other tasks shows their difficulty too', () => {
    const cells = [cell('a', 0.5), cell('b', 0.62)];
    const comparisons = [{ ...comparison('a', 'b', 0.12, 0.0004), design: 'unpaired' as const }];
    expect(answerQuestion({ ...base, cells, comparisons })).toMatch(
      /Some cells played different tasks: such a difference also shows how hard the tasks are\.$/,
    );
  });

  it('says what is missing', () => {
    expect(answerQuestion({ ...base, cells: [cell('a', null, 'missing')], comparisons: [] })).toBe(
      'No answer yet: no run is complete.',
    );
    const cells = [cell('a', 0.5), cell('b', null, 'failed'), cell('c', null, 'missing')];
    expect(answerQuestion({ ...base, cells, comparisons: [] })).toBe(
      'Only a (50.0 %) has a result so far. No two cells have a common seed yet. 1 of 3 runs failed. 1 of 3 runs is missing.',
    );
  });
});
