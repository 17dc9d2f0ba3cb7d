import { element, type Child } from './element.js';

/** A section of the page below its heading. `controls`: what stands beside the heading. */
export function section(
  id: string,
  title: string,
  controls: readonly Child[],
  ...children: readonly Child[]
): HTMLElement {
  const head = element('div.section-head', element('h2', { id: `${id}-title` }, title), ...controls);
  return element('section', { id, 'aria-labelledby': `${id}-title` }, head, ...children);
}
