import { jsonExcess, type JsonLimits } from '../../transfers/json-excess.js';
import { RequestError } from './request-error.js';

/**
 * Parses a body. One that would make millions of objects, or that is nested too deep for what reads it later, is refused
 * before it is parsed.
 *
 * @throws RequestError
 */
export function parseBoundedJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  const excess = jsonExcess(bytes, limits);
  if (excess !== undefined) {
    const what = excess === 'depth' ? 'arrays and objects within each other' : 'values';
    throw new RequestError(400, `the body has more than ${limits[excess]} ${what}`);
  }
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as unknown;
  } catch {
    throw new RequestError(400, 'the body is not JSON');
  }
}
