import { expect, it } from 'vitest';

import {
  exponential,
  formatSeconds,
  formatShare,
  number,
  probability,
  short,
  signedPoints,
  significant,
} from './format-quantity.js';

it.each([
  [formatShare(0.6987951), '69.9 %'],
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
  [exponential(76_267_305_984), '7.6e10'],
  [exponential(-0.00012), '−1.2e−4'],
  [probability(0.0004), '< 0.001'],
  [probability(0.0112), '0.011'],
  [probability(0.5), '0.50'],
  [probability(null), '–'],
  [exponential(76_267_305_984), '7.6e10'],
  [exponential(-0.00012), '−1.2e−4'],
  [probability(0.0004), '< 0.001'],
  [probability(0.0112), '0.011'],
  [probability(0.5), '0.50'],
  [probability(null), '–'],
  [significant(0.43), '0.430'],
  [significant(-0.02), '−0.0200'],
  [significant(0), '0'],
  [significant(12.345), '12.3'],
  [significant(-1204.4), '−1,204'],
  [significant(3.14e-9), '3.1e−9'],
  [formatSeconds(185), '3 min 05 s'],
  [formatSeconds(7620), '2 h 07 min'],
])('%s', (text, expected) => {
  expect(text).toBe(expected);
});
