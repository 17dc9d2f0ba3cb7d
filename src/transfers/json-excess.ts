/** What a JSON text may hold. */
export interface JsonLimits {
  /** Arrays and objects within each other. */
  readonly depth: number;
  /** Members of objects and items of arrays, all together. */
  readonly values: number;
}

/** Bytes of JSON's signs. */
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 44, 91, 93, 123, 125];

/**
 * Which limit a JSON text is beyond. Its signs are counted, which takes a few milliseconds for a megabyte and no memory: one
 * value for each comma and each opening bracket. Signs inside of texts do not count.
 */
export function jsonExcess(bytes: Uint8Array, limits: JsonLimits): keyof JsonLimits | undefined {
  let [depth, values] = [0, 0];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = endOfText(bytes, index + 1);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      if (byte !== COMMA) depth += 1;
      if (values > limits.values) return 'values';
      if (depth > limits.depth) return 'depth';
    }
  }
  return undefined;
}

/** The place of the quotation mark that ends a text. */
function endOfText(bytes: Uint8Array, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
