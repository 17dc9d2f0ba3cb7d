import { expect, it } from 'vitest';

import { trimEnds } from './trim-ends.js';

const line = { label: 'a', style: 0, isMarked: false };

// Goes red when such ends are kept: the mean jumps from 0.5 to the single seed that spent four more units.
it('leaves out ends that fewer seeds carry and that are no longer than a hundredth of the axis', () => {
  const curve = { x: [0, 500, 996, 1000], y: [0.1, 0.3, 0.5, 0.9] };
  const band = { low: [0, 0.2, 0.4, 0.9], high: [0.2, 0.4, 0.9, 0.9] };
  expect(trimEnds({ ...line, curve, band, whole: [true, true, true, false] }, 1000)).toEqual({
    ...line,
    curve: { x: [0, 500, 996], y: [0.1, 0.3, 0.5] },
    band: { low: [0, 0.2, 0.4], high: [0.2, 0.4, 0.9] },
    whole: [true, true, true],
  });
});

it('keeps an end where a seed stopped early, and a line that no point is whole of', () => {
  const early = { ...line, curve: { x: [0, 500, 1000], y: [0, 1, 1] }, whole: [true, true, false] };
  expect(trimEnds(early, 1000)).toEqual(early);
  const apart = { ...line, curve: { x: [0, 1], y: [0, 1] }, whole: [false, false] };
  expect(trimEnds(apart, 1000)).toEqual(apart);
  const alone = { ...line, curve: { x: [0, 1], y: [0, 1] } };
  expect(trimEnds(alone, 1000)).toEqual(alone);
});
