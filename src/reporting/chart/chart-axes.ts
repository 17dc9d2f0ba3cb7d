import type { Chart } from './chart.js';
import { textWidth } from './chart-text.js';
import { placeLogTicks, placeTicks, type Ticks } from './place-ticks.js';

/** An axis of a drawn chart. */
export interface Scale {
  /** The place of a value, in units of the drawing. */
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

type Ends = readonly [low: number, high: number];

/** A range of places; numbers of the axis have this size of text. */
export interface Room {
  readonly from: number;
  readonly to: number;
  readonly text: number;
}

/** The horizontal axis. It ends half a label before the end of its room. */
export function scaleOfX(
  { x: axis, lines }: Pick<Chart, 'x' | 'lines'>,
  { from, to, text }: Room,
): Scale & { readonly end: number } {
  const { size, suffix = '', isWhole = false } = axis;
  const places = lines.flatMap(({ curve: { x } }) => [...x.slice(0, 1), ...x.slice(-1)]);
  const [low, last] = (axis.range ?? fromZero(places)).map((end) => end / size) as unknown as Ends;
  const widest = (labels: readonly string[]) => Math.max(...labels.map((label) => textWidth(label + suffix, text)));
  const crowds = (labels: readonly string[], apart: number) => apart * (to - from) < widest(labels) + (4 / 3) * text;
  const least = isWhole ? 1 : 0;
  // If a tick is just beyond the last point, the axis extends to it.
  const further = placeTicks({ low, high: last + (last - low) / 50, crowds, least });
  const high = Math.max(last, further.values.at(-1) ?? last);
  const ticks = high > last ? further : placeTicks({ low, high: last, crowds, least });
  const end = to - textWidth((ticks.labels.at(-1) ?? '') + suffix, text) / 2;
  return { end, ...scale(ticks, suffix, size, (shown) => from + ((shown - low) / (high - low)) * (end - from)) };
}

/** The vertical axis, from the bottom (`from`) up. */
export function scaleOfY({ y: axis, lines }: Pick<Chart, 'y' | 'lines'>, { from, to, text }: Room): Scale {
  const { size, suffix = '', range, isLog = false } = axis;
  const crowds = (_: readonly string[], apart: number) => apart * (from - to) < (8 / 3) * text;
  const columns = lines.flatMap(({ curve, band }) => [curve.y, ...(band === undefined ? [] : [band.low, band.high])]);
  const ends = endsOf(columns).map((end) => end / size) as unknown as Ends;
  const fixed = range?.map((end) => end / size);
  const [low, high] = (fixed ?? (isLog ? wholeDecades(ends) : wholeTicks(ends, axis, crowds))) as Ends;
  const of = isLog ? Math.log : (shown: number) => shown;
  const place = (shown: number) => from + ((of(shown) - of(low)) / (of(high) - of(low))) * (to - from);
  return scale((isLog ? placeLogTicks : placeTicks)({ low, high, crowds }), suffix, size, place);
}

function scale({ values, labels }: Ticks, suffix: string, size: number, place: (shown: number) => number): Scale {
  const ticks = values.map((value, i) => ({ at: place(value), label: `${labels[i]}${suffix}` }));
  return { at: (value) => place(value / size), ticks };
}

/** The lowest and the highest value: by a loop, because long curves have many. */
function endsOf(columns: readonly (readonly (number | null)[])[]): Ends {
  let [low, high] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const value of column) {
      if (value === null) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return [low, high];
}

/** The ends of the horizontal axis. It starts at 0, unless all points are far from it. */
function fromZero(places: readonly number[]): Ends {
  const [least, most] = [Math.min(...places), Math.max(...places)];
  const low = least > 0.25 * most && least < most ? least : 0;
  return [low, most > low ? most : low + 1];
}

/** Extends a range to 1, 2 or 5 times powers of ten. */
function wholeDecades([least, most]: Ends): Ends {
  const around = (value: number, isBelow: boolean) => {
    const power = Math.floor(Math.log10(value));
    const near = [1, 2, 5, 10].map((first) => Number(`${first}e${power}`));
    return isBelow ? near.findLast((one) => one <= value) : near.find((one) => one > value);
  };
  return [around(least, true) ?? least, around(most, false) ?? most];
}

/** Extends a range to the next ticks, within the bounds of the axis. */
function wholeTicks(
  [least, most]: Ends,
  { size, bounds = [-Infinity, Infinity], leastRange = 0 }: Chart['y'],
  crowds: (labels: readonly string[], apart: number) => boolean,
): Ends {
  if (least === 0 && most === 0 && leastRange === 0) return [0, 1];
  const distance = (of: number) => {
    const [first = 0, second = of] = placeTicks({ low: 0, high: of, crowds }).values;
    return second - first;
  };
  const lacking = Math.max(0, leastRange / size - (most - least), least === most ? Math.abs(most) / 5 || 1 : 0) / 2;
  const [from, to] = [least - lacking, most + lacking];
  let range = to - from;
  for (;;) {
    const step = distance(range);
    const low = Math.max(bounds[0] / size, Math.floor(from / step + 1e-9) * step);
    const high = Math.min(bounds[1] / size, Math.ceil(to / step - 1e-9) * step);
    // A longer axis may have fewer ticks, and it must end at one of these.
    if (distance(high - low) === step) return [low, high];
    range = high - low;
  }
}
