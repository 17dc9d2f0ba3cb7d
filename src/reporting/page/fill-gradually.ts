/** So many rows are there at once: more than a screen shows. */
const atOnce = 16;
/** Milliseconds that a task may take for the others: a reader who goes on does not wait for them. */
const slice = 12;

const filling = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();

/**
 * Gives an element other children, row by row: the first ones at once, those below in tasks of their own, until it is
 * given others again.
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
