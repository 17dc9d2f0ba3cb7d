import { expect, it } from 'vitest';

import { constantOf } from './rounding-noise.js';

const curve = (...y: (number | null)[]) => ({ x: y.map((_, i) => i), y });

// Goes red when rounding errors of a sum are drawn as a signal.
it('tells rounding from a signal', () => {
  expect(constantOf(curve(2.7e-17, -1.3e-17, 0, null))).toBe(0);
  expect(constantOf(curve(0.2, 0.2, 0.2000000001))).toBe(0.2);
  expect(constantOf(curve(24_448_000, 24_448_001))).toBe(24_448_000);
  expect(constantOf(curve(1e-9, 2e-9))).toBeUndefined();
  expect(constantOf(curve(0.2, 0.21))).toBeUndefined();
  expect(constantOf(curve(0, 1e-7))).toBeUndefined();
  expect(constantOf(curve(null))).toBeUndefined();
});
