/** Labelled places of an axis; each label is the exact number. */
export interface Ticks {
  readonly values: readonly number[];
  readonly labels: readonly string[];
}

export interface TickRequest {
  readonly low: number;
  readonly high: number;
  /** Whether these labels are too many or overlap. `apart`: their distance as a share of the axis. */
  readonly crowds: (labels: readonly string[], apart: number) => boolean;
  /** The least distance, for example 1 if only whole numbers exist. */
  readonly least?: number;
}

/**
 * Ticks at multiples of 1, 2 or 5 times a power of ten, as many as fit. Labels are exact, not rounded.
 * `high` is above `low`.
 */
export function placeTicks({ low, high, crowds, least = 0 }: TickRequest): Ticks {
  const range = high - low;
  for (let power = Math.floor(Math.log10(range)) - 2; ; power += 1) {
    for (const first of [1, 2, 5]) {
      const step = Number(`${first}e${power}`);
      if (step < least) continue;
      const values = multiplesOf(first, power, low, high);
      const named = (some: readonly number[]) => some.map((value) => nameTick(value, power));
      // The longest label is the first or the last. One label cannot crowd, so the loop always ends.
      if (values.length < 2 || !crowds(named([...values.slice(0, 1), ...values.slice(-1)]), step / range))
        return { values, labels: named(values) };
    }
  }
}

function multiplesOf(first: number, power: number, low: number, high: number): number[] {
  const step = Number(`${first}e${power}`);
  // A small tolerance: 0.3 / 0.1 is less than 3.
  const [from, to] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => Number(`${(from + i) * first}e${power}`));
}

/** "12,000", "0.05", "−2", "3e−8": with as many decimals as multiples of this power of ten have. */
function nameTick(value: number, power: number): string {
  if (value === 0 && power < -4) return '0';
  const digits = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const text =
    value !== 0 && (power < -4 || digits > 8)
      ? value
          .toExponential(Math.max(0, digits - power))
          .replace(/\.?0+e/, 'e')
          .replace('+', '')
      : formatOf(Math.max(0, -power)).format(value);
  return text.replaceAll('-', '−');
}

const formats = new Map<number, Intl.NumberFormat>();

/** Formats are slow to make. */
function formatOf(decimals: number): Intl.NumberFormat {
  const known = formats.get(decimals);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  formats.set(decimals, made);
  return made;
}

/**
 * Ticks of a logarithmic axis between numbers above 0: 1, 2 and 5 times powers of ten if they fit, else powers of ten,
 * else every second or later one of these.
 */
export function placeLogTicks({ low, high, crowds }: Omit<TickRequest, 'least'>): Ticks {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  for (let gap = 0; ; gap += 1) {
    const ticks = Array.from({ length: last - first + 1 }, (_, i) => first + i)
      .filter((power) => power % Math.max(1, gap) === 0)
      .flatMap((power) => (gap === 0 ? [1, 2, 5] : [1]).map((of) => ({ value: Number(`${of}e${power}`), power })))
      .filter(({ value }) => value >= low && value <= high);
    const labels = ticks.map(({ value, power }) => nameTick(value, power));
    const distances = ticks.slice(1).map(({ value }, i) => Math.log(value / (ticks[i]?.value ?? value)));
    if (ticks.length < 2 || !crowds(labels, Math.min(...distances) / Math.log(high / low)))
      return { values: ticks.map(({ value }) => value), labels };
  }
}
