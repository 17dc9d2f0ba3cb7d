/**
 * The character for each byte in a byte-level vocabulary (GPT-2's): the byte itself if it is printable, otherwise a
 * character from U+0100 on.
 */
export function byteCharacters(): string[] {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}

const byteOf = new Map(byteCharacters().map((character, byte) => [character, byte]));
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a byte-level token. Bytes that are not a whole character are written as `\xE2`. Undefined if the token
 * has characters that represent no byte.
 */
export function byteLevelText(token: string): string | undefined {
  const bytes = Array.from(token, (character) => byteOf.get(character));
  if (!bytes.every((byte) => byte !== undefined)) return undefined;
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((count) => at + count <= bytes.length && isText(bytes.slice(at, at + count)));
    const part = bytes.slice(at, at + (length ?? 1));
    text += length === undefined ? `\\x${part[0]!.toString(16).toUpperCase().padStart(2, '0')}` : decoded(part);
    at += part.length;
  }
  return text;
}

function decoded(bytes: readonly number[]): string {
  return strict.decode(Uint8Array.from(bytes));
}

function isText(bytes: readonly number[]): boolean {
  try {
    decoded(bytes);
    return true;
  } catch {
    return false;
  }
}
