import type { SvgShape } from '../chart/svg-shape.js';
import { visible } from './visible-text.js';

/** A shape as an element: strings become text nodes, never markup. */
export function svgElement({ tag, attributes, children }: SvgShape): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(name, String(value));
  // The colour of a curve is a variable of the theme.
  const curve = [...made.classList].find((name) => name.startsWith('curve-'));
  if (curve !== undefined) made.style.color = `var(--${curve})`;
  made.append(...children.map((child) => (typeof child === 'string' ? visible(child) : svgElement(child))));
  return made;
}
