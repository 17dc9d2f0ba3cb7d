/** 0.699 as "69.9 %", with a non-breaking space. */
export function percentage(share: number, decimals = 1): string {
  return `${number(share * 100, decimals)}\u00a0%`;
}

/** The interval of a rate, such as "59.0 to 80.2"; "no interval" if an end is missing. */
export function percentRange(low: number | null, high: number | null): string {
  return low === null || high === null ? 'no interval' : `${number(low * 100, 1)} to ${number(high * 100, 1)}`;
}

/** A difference of rates in percentage points, such as "+16.0" or "−3.1". */
export function signedPoints(difference: number): string {
  return signed(difference * 100, 1);
}

/** With a plus or minus sign; zero has no sign. */
export function signed(value: number, decimals: number): string {
  const text = number(value, decimals);
  return Number(value.toFixed(decimals)) > 0 ? `+${text}` : text;
}

/** With a real minus sign; a negative number that rounds to zero has no sign. */
export function number(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** About three significant digits: "0.00213", "12.3", "1,204", "3.1e-9". */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(1).replace('-', '−').replace('e-', 'e−');
  const decimals = size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  const text = size >= 1000 ? Math.round(size).toLocaleString('en') : String(Number(size.toFixed(decimals)));
  return value < 0 ? `−${text}` : text;
}

/** "1,579,139" */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Three significant digits, so that values under each other are equally exact: "0.430", "−0.0200", "5.00". */
export function significant(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 100)) return short(value);
  return number(value, size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size))));
}

/** 76,267,305,984 as "76.3 G": a unit prefix with at most four digits. `unitOf`: another number that sets the unit. */
export function large(value: number, unitOf = value): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  const power = Math.min(prefixes.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, unitOf)) / 3)));
  return `${(value / 1000 ** power).toFixed(1)}\u00a0${prefixes[power]}`;
}

/** "45 s", "3 min 05 s", "2 h 07 min" */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours > 0) return `${hours} h ${String(minutes).padStart(2, '0')} min`;
  return minutes > 0 ? `${minutes} min ${String(rest).padStart(2, '0')} s` : `${rest} s`;
}

/** The length of a text: "1.0 MB", "12 kB", "840 characters" */
export function textSize(length: number): string {
  if (length >= 1e6) return `${(length / 1e6).toFixed(1)} MB`;
  return length >= 1e4 ? `${Math.round(length / 1e3)} kB` : `${count(length)} characters`;
}
