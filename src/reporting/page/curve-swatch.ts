import type { curveStyle } from '../curve-style.js';
import { element } from './element.js';

/** A piece of a curve beside its name, in the same colour and with the same dashes. */
export function curveSwatch({ variable, dash }: ReturnType<typeof curveStyle>): HTMLElement {
  const swatch = element('span', { class: 'swatch' });
  swatch.style.color = `var(${variable})`;
  let end = 0;
  const parts = dash.map((length, i) => {
    const start = end;
    end += length;
    return `${i % 2 === 0 ? 'currentcolor' : 'transparent'} ${start}px ${end}px`;
  });
  if (parts.length > 0) swatch.style.background = `repeating-linear-gradient(to right, ${parts.join(', ')})`;
  return swatch;
}
