/**
 * Order of two texts by code points, which is Python's order of strings. JavaScript compares units of UTF-16, where
 * characters beyond the first 65,536 come before some of those within.
 */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const one = left.charCodeAt(index);
    const other = right.charCodeAt(index);
    if (one === other) continue;
    const oneHigh = one >= 0xd800 && one <= 0xdfff;
    const otherHigh = other >= 0xd800 && other <= 0xdfff;
    return oneHigh === otherHigh ? one - other : oneHigh ? 1 : -1;
  }
  return left.length - right.length;
}
