import { expect, it } from 'vitest';

import type { ReportTokens } from '../report-data.js';
import { scaleOf } from './token-colour.js';

const record: ReportTokens = {
  tokens: [1, 2, 3, 4],
  mask: [0, 1, 1, 1],
  logprobs: [0, -0.1, -5, null],
  advantages: [0, 2, -4, 1],
};

const share = (colour: string | undefined) => Number(/(\d+)%/.exec(colour ?? '')?.[1] ?? 0);

it('colours what is improbable, alike in all episodes', () => {
  const { colour, low } = scaleOf([record], 'logprobs');
  expect(low).toBe(-5);
  expect([share(colour(0)), share(colour(-1)), share(colour(-5)), share(colour(-50))]).toEqual([0, 13, 65, 65]);
});

// Goes red when the sign is lost: positive and negative credit would look alike.
it('tells positive advantages from negative ones, by the largest in view', () => {
  const { colour, low, high } = scaleOf([record], 'advantages');
  expect([low, high]).toEqual([-4, 4]);
  expect([share(colour(2)), share(colour(-4)), share(colour(0))]).toEqual([33, 65, 0]);
  const both = scaleOf([record, { ...record, advantages: [0, 8, 0, 0] }], 'advantages');
  expect(share(both.colour(2))).toBe(16);
  expect(colour(2)?.replace('33%', '')).not.toBe(colour(-2)?.replace('33%', ''));
});

// Goes red when values are coloured by their size only, as KL is.
it('tells what a critic expected to be gained from what it expected to be lost', () => {
  const { colour, low, high, isSigned } = scaleOf([{ ...record, values: [0, 0.5, -0.25, null] }], 'values');
  expect([low, high, isSigned]).toEqual([-0.5, 0.5, true]);
  expect([share(colour(0.5)), share(colour(-0.5))]).toEqual([65, 65]);
  expect(colour(0.5)).not.toBe(colour(-0.5));
});

it('has end points where all numbers are zero', () => {
  // Without end points, a number would be divided by zero.
  expect(scaleOf([{ ...record, advantages: [0, 0, 0, 0] }], 'advantages').colour(0)).toBeUndefined();
});
