import { RequestError } from './request-error.js';

/** What a body may hold. */
export interface JsonLimits {
  /** Arrays and objects within each other. */
  readonly depth: number;
  /** Members of objects and items of arrays, all together. */
  readonly values: number;
}

/** Bytes of JSON's signs. */
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 44, 91, 93, 123, 125];

/**
 * Parses a body. Its signs are counted first, which takes a few milliseconds for a megabyte and no memory, so a body that would
 * make millions of objects, or that is nested too deep for what reads it later, is refused before it is parsed.
 *
 * @throws RequestError
 */
export function parseBoundedJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  refuseBeyond(bytes, limits);
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as unknown;
  } catch {
    throw new RequestError(400, 'the body is not JSON');
  }
}

/** One value counts for each comma and each opening bracket. Signs inside of texts do not count. */
function refuseBeyond(bytes: Uint8Array, { depth: deepest, values: most }: JsonLimits): void {
  let [depth, values] = [0, 0];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = endOfText(bytes, index + 1);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      if (byte !== COMMA) depth += 1;
      if (values > most) throw new RequestError(400, `the body has more than ${most} values`);
      if (depth > deepest) {
        throw new RequestError(400, `the body has more than ${deepest} arrays and objects within each other`);
      }
    }
  }
}

/** The place of the quotation mark that ends a text. */
function endOfText(bytes: Uint8Array, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
