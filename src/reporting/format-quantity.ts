/** 0.542 as "54.2 %"; as "54 %" without decimals. */
export function formatShare(share: number, decimals = 1): string {
  return `${(share * 100).toFixed(decimals)} %`;
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
