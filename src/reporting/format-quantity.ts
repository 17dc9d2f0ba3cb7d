/** 0.542 as "54.2 %"; as "54 %" without decimals. */
export function formatShare(share: number, decimals = 1): string {
  return `${number(share * 100, decimals)} %`;
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

/** About three significant digits: "0.00213", "12.3", "1,204", "3.1e−9". */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return exponential(value);
  const decimals = size === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(size)));
  const text = size >= 1000 ? count(size) : String(Number(size.toFixed(decimals)));
  return value < 0 ? `−${text}` : text;
}

/** "1.9e12" */
export function exponential(value: number): string {
  return value.toExponential(1).replace('+', '').replaceAll('-', '−');
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

/** "< 0.001" or "0.013"; "–" for no test. */
export function probability(p: number | null): string {
  if (p === null) return '–';
  return p < 0.001 ? '< 0.001' : p.toFixed(p < 0.1 ? 3 : 2);
}

/** "45 s", "3 min 05 s", "2 h 07 min". */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`;
  return minutes > 0 ? `${minutes} min ${twoDigits(rest)} s` : `${rest} s`;
}

/** "950", "12.3k", "1.2M": about three digits. */
export function formatCount(value: number): string {
  if (value < 999.5) return value.toFixed(0);
  const [scaled, unit] = value < 999_500 ? [value / 1000, 'k'] : [value / 1_000_000, 'M'];
  return scaled < 99.95 ? `${scaled.toFixed(1)}${unit}` : `${scaled.toFixed(0)}${unit}`;
}

/** "950 B", "12.3 kB", "1.2 GB": powers of 1000. */
export function formatBytes(bytes: number): string {
  let unit = 0;
  for (; bytes >= 999.5 && unit < byteUnits.length - 1; unit++) bytes /= 1000;
  return `${bytes < 99.95 && unit > 0 ? bytes.toFixed(1) : bytes.toFixed(0)} ${byteUnits[unit]}`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'];
