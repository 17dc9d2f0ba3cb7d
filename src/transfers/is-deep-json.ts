/** Deeper JSON ends programs that read or write it by recursion. */
const deepestJson = 1000;

/** Whether a document nests more lists and objects than programs can read. Everything but JSON is not deep. */
export function isDeepJson(bytes: Buffer): boolean {
  if (bytes.length < 2 * deepestJson || !/^\s*[[{]/.test(bytes.toString('latin1', 0, 64))) return false;
  let depth = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === 0x22) {
      // A text: to its end. An escaped character is no end.
      for (i += 1; i < bytes.length && bytes[i] !== 0x22; i += 1) if (bytes[i] === 0x5c) i += 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      if (depth > deepestJson) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
  }
  return false;
}
