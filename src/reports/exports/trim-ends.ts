import type { ChartLine } from '../../reporting/chart/chart.js';

/** Share of the axis within which seeds count as ending together. */
const together = 0.01;

/**
 * Cuts the ends of a line that fewer seeds cover, if they are at most a hundredth of the axis. Seeds with the same
 * budget end a few units apart. After the first end, the mean would only jump to the longest seed.
 */
export function trimEnds<Line extends ChartLine>(line: Line, range: number): Line {
  const { curve, band, whole } = line;
  const [first, last] = [whole?.indexOf(true) ?? -1, whole?.lastIndexOf(true) ?? -1];
  const at = (i: number) => curve.x[i] ?? 0;
  if (first < 0) return line;
  const from = at(first) - at(0) <= together * range ? first : 0;
  const end = at(curve.x.length - 1) - at(last) <= together * range ? last + 1 : curve.x.length;
  const cut = <T>(list: readonly T[]) => list.slice(from, end);
  return {
    ...line,
    curve: { x: cut(curve.x), y: cut(curve.y) },
    ...(band && { band: { low: cut(band.low), high: cut(band.high) } }),
    ...(whole && { whole: cut(whole) }),
  };
}
