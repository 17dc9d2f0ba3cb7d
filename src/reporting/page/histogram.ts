import { element } from './element.js';
import { count, short } from '../format-quantity.js';

/** The largest number of bars. */
const mostBars = 20;

/** Up to this number of bars, each bar has a label. */
const mostNames = 10;

interface Bar {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** Groups values in bars of equal width. A small range of whole numbers, such as turns, gets one bar per number. */
export function barsOf(values: readonly number[]): Bar[] {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const [low, high] = [distinct[0], distinct.at(-1)];
  if (low === undefined || high === undefined) return [];
  const isWhole = distinct.every(Number.isInteger);
  if (isWhole && high - low < mostBars) {
    return Array.from({ length: high - low + 1 }, (_, i) => {
      const value = low + i;
      return { low: value, high: value, count: values.filter((one) => one === value).length };
    });
  }
  if (low === high) return [{ low, high, count: values.length }];
  const width = isWhole ? Math.ceil((high - low + 1) / mostBars) : (high - low) / mostBars;
  const bars = Array.from({ length: isWhole ? Math.ceil((high - low + 1) / width) : mostBars }, () => 0);
  for (const value of values) {
    const place = Math.min(bars.length - 1, Math.floor((value - low) / width));
    bars[place] = (bars[place] ?? 0) + 1;
  }
  return bars.map((found, i) => {
    const from = low + i * width;
    return { low: from, high: isWhole ? from + width - 1 : from + width, count: found };
  });
}

/** A histogram of values with their mean, median and number. `unit`: what has a value, such as episodes. */
export function histogram(title: string, values: readonly number[], unit: string): HTMLElement {
  const bars = barsOf(values);
  const most = Math.max(...bars.map((bar) => bar.count));
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const name = ({ low, high }: Bar) => (low === high ? short(low) : `${short(low)} to ${short(high)}`);
  const columns = bars.map((bar) => {
    const column = element('span', { title: `${name(bar)}: ${count(bar.count)} ${unit}` });
    column.style.height = `${(100 * bar.count) / most}%`;
    return column;
  });
  const ends = [bars[0]?.low, bars.at(-1)?.high];
  const named = bars.length > mostNames ? ends : bars.map(({ low }) => low);
  const names = named.map((value) => element('span', value === undefined ? '' : short(value)));
  return element(
    'figure.histogram',
    element(
      'figcaption',
      element('h3', title),
      element(
        'p.legend.fine',
        element('span', 'mean ', element('b', short(mean))),
        element('span', 'median ', element('b', short(median))),
        element('span', `${count(values.length)} ${unit}`),
      ),
    ),
    element(
      'div.bars',
      {
        role: 'img',
        'aria-label': `${title}: ${bars.map((bar) => `${name(bar)}: ${bar.count}`).join('; ')}`,
      },
      ...columns,
    ),
    element('p', { class: bars.length > mostNames ? 'ends' : 'ends each', 'aria-hidden': 'true' }, ...names),
  );
}
