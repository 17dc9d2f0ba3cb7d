/** A rectangle in units of the drawing; `y` grows downwards. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A line through points whose `x` never falls. */
export type Polyline = readonly (readonly [x: number, y: number])[];

/** The place of a name that hides the least of these lines; the first of equal ones. */
export function freestPlace<Place extends Box>(
  places: readonly Place[],
  lines: readonly Polyline[],
  taken: readonly Box[],
): Place | undefined {
  const free = places.filter((place) => !taken.some((box) => overlaps(place, box)));
  const hidden = free.map((place) => lines.reduce((sum, line) => sum + piecesIn(place, line), 0));
  return free[hidden.indexOf(Math.min(...hidden))];
}

/** The number of pieces of a line within a box. */
function piecesIn({ left, right, top, bottom }: Box, line: Polyline): number {
  let count = 0;
  for (const [i, [x1, y1]] of line.entries()) {
    const [x0, y0] = line[i - 1] ?? [x1, y1];
    if (x1 < left || x0 > right) continue;
    const yAt = (x: number) => (x1 === x0 ? y1 : y0 + ((y1 - y0) * (x - x0)) / (x1 - x0));
    const ends = x1 === x0 ? [y0, y1] : [yAt(Math.max(x0, left)), yAt(Math.min(x1, right))];
    if (Math.max(...ends) >= top && Math.min(...ends) <= bottom) count += 1;
  }
  return count;
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
