/** This many rows are drawn immediately: more than a screen shows. */
const atOnce = 16;
/** Milliseconds per task for the other rows, so that a reader who clicks does not wait for them. */
const slice = 12;

const filling = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();

/**
 * Replaces the children of an element, row by row. The first rows are added immediately, the others in later tasks. A
 * new call for the same element cancels the rest.
 */
export function fillGradually(parent: HTMLElement, rows: readonly (() => readonly HTMLElement[])[]): void {
  clearTimeout(filling.get(parent));
  let next = 0;
  const append = (isEnough: () => boolean) => {
    const made: HTMLElement[] = [];
    for (; next < rows.length && !isEnough(); next += 1) made.push(...(rows[next]?.() ?? []));
    parent.append(...made);
    if (next < rows.length) filling.set(parent, setTimeout(goOn));
  };
  const goOn = () => {
    const until = performance.now() + slice;
    append(() => performance.now() > until);
  };
  parent.textContent = '';
  append(() => next >= atOnce);
}
