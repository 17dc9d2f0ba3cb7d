/** Longest wait that a server may ask for, in seconds. */
export const longestWaitSeconds = 60;

/**
 * The seconds that a server asks to wait, at most `longestWaitSeconds`: `retry-after` (seconds or a date) or
 * `retry-after-ms`. Undefined if there is neither, or no time that can be read, or one in the past.
 */
export function readRetryAfter(headers: Headers, now = Date.now()): number | undefined {
  const milliseconds = numberOf(headers.get('retry-after-ms'));
  const seconds = milliseconds === undefined ? secondsOf(headers.get('retry-after'), now) : milliseconds / 1000;
  return seconds === undefined || seconds < 0 ? undefined : Math.min(seconds, longestWaitSeconds);
}

function secondsOf(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const value = numberOf(text);
  if (value !== undefined) return value;
  // Dates have letters. Others, such as `12-5`, are read by Date.parse, too.
  const date = /^[a-z]{3}/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : (date - now) / 1000;
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\s*[+-]?\d+(\.\d*)?(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}
