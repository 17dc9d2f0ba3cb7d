import { expect, it } from 'vitest';

import type { ReportTokens } from '../report-data.js';
import { scaleOf, valuesOf } from './token-colour.js';

const record: ReportTokens = {
  tokens: [1, 2, 3, 4],
  mask: [0, 1, 1, 1],
  logprobs: [0, -0.1, -5, null],
  advantages: [0, 2, -4, 1],
};

const share = (colour: string | undefined) => Number(/(\d+)%/.exec(colour ?? '')?.[1] ?? 0);

it('colours what is improbable, alike in all episodes', () => {
  const { colour, low } = scaleOf([record], 'logprob');
  expect(low).toBe(-5);
  expect([share(colour(0)), share(colour(-1)), share(colour(-5)), share(colour(-50))]).toEqual([0, 13, 65, 65]);
});

// Goes red when the sign is lost: credit and blame would look alike.
it('tells positive advantages from negative ones, by the largest in view', () => {
  const { colour, low, high } = scaleOf([record], 'advantage');
  expect([low, high]).toEqual([-4, 4]);
  expect([share(colour(2)), share(colour(-4)), share(colour(0))]).toEqual([33, 65, 0]);
  const both = scaleOf([record, { ...record, advantages: [0, 8, 0, 0] }], 'advantage');
  expect(share(both.colour(2))).toBe(16);
  expect(colour(2)?.replace('33%', '')).not.toBe(colour(-2)?.replace('33%', ''));
});

it('says what a record does not have', () => {
  expect(valuesOf(record, 'kl')).toBeUndefined();
  expect(valuesOf(record, 'mask')).toBe(record.mask);
  // All zero: a scale without end points would divide by zero.
  expect(scaleOf([{ ...record, advantages: [0, 0, 0, 0] }], 'advantage').colour(0)).toBeUndefined();
});
