import { randomInt } from 'node:crypto';

/**
 * Six of 30 letters and digits that are not easily confused. The first is a letter, so that an id is never a number.
 */
export function randomId(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz2345679';
  const pick = (count: number) => alphabet[randomInt(count)] ?? '';
  return pick(23) + Array.from({ length: 5 }, () => pick(alphabet.length)).join('');
}
