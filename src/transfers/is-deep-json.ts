import { jsonExcess } from './json-excess.js';

/** Deeper JSON ends programs that read or write it by recursion. */
const deepestJson = 1000;

/** Whether a document nests more lists and objects than programs can read. Everything but JSON is not deep. */
export function isDeepJson(bytes: Buffer): boolean {
  if (bytes.length < 2 * deepestJson || !/^\s*[[{]/.test(bytes.toString('latin1', 0, 64))) return false;
  return jsonExcess(bytes, { depth: deepestJson, values: Infinity }) !== undefined;
}
