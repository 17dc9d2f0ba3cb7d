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
      const labels = values.map((value) => nameTick(value, power));
      // One label cannot crowd, so the loop always ends.
      if (values.length < 2 || !crowds(labels, step / range)) return { values, labels };
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
  if (value === 0 && power < -6) return '0';
  const digits = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const text =
    value !== 0 && (power < -6 || digits > 14)
      ? value
          .toExponential(Math.max(0, digits - power))
          .replace(/\.?0+e/, 'e')
          .replace('+', '')
      : value.toLocaleString('en', {
          minimumFractionDigits: Math.max(0, -power),
          maximumFractionDigits: Math.max(0, -power),
        });
  return text.replaceAll('-', '−');
}
