// Limits of MLflow 3 on what a run may hold (`mlflow/utils/validation.py`). Longer texts and other characters are
// refused by the server, with all that is in the same request.
import { posix } from 'node:path';

/** Most of each in one request. */
export const mostPerRequest = { metrics: 1000, params: 100, tags: 100 } as const;

const longest = { key: 250, param: 6000, tag: 8000 } as const;

/** A key of a param, a metric or a tag, with `_` for each character that MLflow refuses. It must also be a plain path. */
export function mlflowKey(name: string): string {
  const plain = posix.normalize(name.replace(/[^\w.\- :/]/g, '_')).replace(/^(\.*\/)+|\/+$/g, '');
  return plain === '' || /^\.+$/.test(plain) ? '_' : plain.slice(0, longest.key);
}

export function paramValue(value: string): string {
  return cut(value, longest.param);
}

export function tagValue(value: string): string {
  return cut(value, longest.tag);
}

/** A metric's value. JSON has no numbers that are not finite; MLflow reads them as these texts. */
export function metricValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** Cuts a text, but never a character in half. Its end shows that something is missing. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
