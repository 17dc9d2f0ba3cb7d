/** Longest wait that a server may ask for, in seconds. */
export const longestWaitSeconds = 60;

/** What a server asks for. */
export interface AskedWait {
  /** At most `longestWaitSeconds`. */
  readonly seconds: number;
  /** Longer than what is granted. */
  readonly isCapped: boolean;
}

/**
 * Reads `retry-after` (seconds or a date) and `retry-after-ms`. Undefined if there is neither, or no time that can be
 * read. A time in the past is 0.
 */
export function readRetryAfter(headers: Headers, now = Date.now()): AskedWait | undefined {
  const asked = [millisecondsOf(headers.get('retry-after-ms')), secondsOf(headers.get('retry-after'), now)];
  const seconds = asked.find((one) => one !== undefined);
  if (seconds === undefined) return undefined;
  return { seconds: Math.min(Math.max(0, seconds), longestWaitSeconds), isCapped: seconds > longestWaitSeconds };
}

function millisecondsOf(text: string | null): number | undefined {
  const value = numberOf(text);
  return value === undefined ? undefined : value / 1000;
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
