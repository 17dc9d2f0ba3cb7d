import { isDeepStrictEqual } from 'node:util';

/** Whether a value is the same after it was written as JSON and read again. */
export function isJson(value: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);
}
