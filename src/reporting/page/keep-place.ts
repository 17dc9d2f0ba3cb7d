/**
 * Changes the page and scrolls so that the reader's place stays while parts above it grow. Not every browser does this,
 * and none keeps the focused element in place. So the style sheet turns the browser's version off. At the top of the
 * page, the top stays visible.
 */
export function keepPlace(change: () => void): void {
  if (scrollY === 0) return change();
  const places = inSight().map((node) => [node, node.getBoundingClientRect().top] as const);
  change();
  const held = places.find(([node]) => node.isConnected);
  if (held === undefined) return;
  const moved = held[0].getBoundingClientRect().top - held[1];
  if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' });
}

/**
 * Elements that can keep their place, the best first: the focus, then the elements a third down the page, innermost
 * first.
 */
function inSight(): Element[] {
  const focused = document.activeElement;
  const box = focused?.getBoundingClientRect();
  const isSeen = box !== undefined && focused !== document.body && box.bottom > 0 && box.top < innerHeight;
  const read = document
    .elementsFromPoint(innerWidth / 2, innerHeight / 3)
    .filter((node) => node.closest('main') !== null);
  return [...(isSeen && focused?.closest('main') ? [focused] : []), ...read];
}
