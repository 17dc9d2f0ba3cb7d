/**
 * Sorts as CPython does, for a comparison that is no order: `isLess(a, b)` and `isLess(b, c)` need not mean
 * `isLess(a, c)`. The result then depends on which pairs are compared. That is: the run at the beginning, reversed if
 * it falls, then each further item put in its place by binary search (`listsort` of `Objects/listobject.c`). CPython
 * does so for up to 63 items and merges sorted pieces of longer lists; this sorts longer lists in the same way.
 */
export function sortUnsteadily<Item>(items: readonly Item[], isLess: (one: Item, other: Item) => boolean): Item[] {
  const list = [...items];
  const { length } = list;
  if (length < 2) return list;
  const at = (index: number): Item => list[index] as Item;
  let run = 2;
  if (isLess(at(1), at(0))) {
    while (run < length && isLess(at(run), at(run - 1))) run++;
    for (let low = 0, high = run - 1; low < high; low++, high--) [list[low], list[high]] = [at(high), at(low)];
  } else {
    while (run < length && !isLess(at(run), at(run - 1))) run++;
  }
  for (let next = run; next < length; next++) {
    const item = at(next);
    let low = 0;
    let high = next;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isLess(item, at(middle))) high = middle;
      else low = middle + 1;
    }
    for (let index = next; index > low; index--) list[index] = at(index - 1);
    list[low] = item;
  }
  return list;
}
