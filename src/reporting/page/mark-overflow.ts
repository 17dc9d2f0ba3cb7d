/** Marks an element with the class `more` while some of its content is hidden beyond its right end. */
export function markOverflow(node: HTMLElement): void {
  const mark = () => node.classList.toggle('more', node.scrollLeft + node.clientWidth < node.scrollWidth - 1);
  node.addEventListener('scroll', mark, { passive: true });
  new ResizeObserver(mark).observe(node);
}
