import type { IntervalBar } from '../blocks/block.js';
import { element } from './element.js';

/** An estimate as a line on its interval. The numbers are beside it, so it is hidden from screen readers. */
export function intervalBar({ from, to, middle, low, high, ticks = [], zero }: IntervalBar): HTMLElement {
  const place = (value: number) => `${(100 * (Math.min(to, Math.max(from, value)) - from)) / (to - from)}%`;
  const mark = (className: string, value: number) => {
    const made = element('span', { class: className });
    made.style.left = place(value);
    return made;
  };
  const bar = element('div.interval', { 'aria-hidden': 'true' });
  if (zero !== undefined) bar.append(mark('zero', zero));
  if (low !== null && high !== null) {
    const range = mark('range', low);
    range.style.right = `calc(100% - ${place(high)})`;
    bar.append(range);
  }
  bar.append(...ticks.map((value) => mark('tick', value)), mark('middle', middle));
  return bar;
}
