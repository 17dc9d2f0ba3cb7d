import { expect, it } from 'vitest';

import { freestPlace, type Box, type Polyline } from './freest-place.js';

const boxAt = (left: number, top: number): Box => ({ left, right: left + 40, top, bottom: top + 13 });
const [right, left, middle] = [boxAt(260, 50), boxAt(0, 50), boxAt(100, 50)];

it('keeps the first place while nothing is there, and leaves it for one without curves', () => {
  expect(freestPlace([right, left], [], [])).toBe(right);
  const late: Polyline = [
    [200, 50],
    [300, 60],
  ];
  expect(freestPlace([right, left], [late], [])).toBe(left);
});

// Goes red when only the points of a curve count: two points far apart have a line between them.
it('sees the line between two points', () => {
  const steep: Polyline = [
    [120, 200],
    [120, 0],
  ];
  const long: Polyline = [
    [0, 56],
    [300, 56],
  ];
  expect(freestPlace([middle, left], [steep], [])).toBe(left);
  expect(freestPlace([left, boxAt(0, 80)], [long], [])).toEqual(boxAt(0, 80));
});

it('leaves out places of other names, and is undefined if none is left', () => {
  expect(freestPlace([right, left], [], [boxAt(290, 60)])).toBe(left);
  expect(freestPlace([right], [], [right])).toBeUndefined();
});
