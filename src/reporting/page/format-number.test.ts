import { expect, it } from 'vitest';

import { duration, large, number, percentage, signedPoints, short, significant, textSize } from './format-number.js';

it.each([
  [percentage(0.6987951), '69.9\u00a0%'],
  [signedPoints(-0.0123), '−1.2'],
  [signedPoints(0.1), '+10.0'],
  // A difference that rounds to zero has no sign.
  [signedPoints(-0.0001), '0.0'],
  [signedPoints(0.0001), '0.0'],
  [number(-2.5, 2), '−2.50'],
  [short(0), '0'],
  [short(0.00213), '0.00213'],
  [short(12.345), '12.3'],
  [short(-1204.4), '−1,204'],
  [short(3.14e-9), '3.1e−9'],
  [large(76_267_305_984), '76.3\u00a0G'],
  [large(120_000_000), '120.0\u00a0M'],
  [large(967_900_000_000, 4e12), '1.0\u00a0T'],
  [significant(0.43), '0.430'],
  [significant(-0.02), '−0.0200'],
  [significant(0), '0'],
  [significant(12.345), '12.3'],
  [significant(-1204.4), '−1,204'],
  [significant(3.14e-9), '3.1e−9'],
  [duration(185), '3 min 05 s'],
  [duration(7620), '2 h 07 min'],
  [textSize(1_000_000), '1.0 MB'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});
