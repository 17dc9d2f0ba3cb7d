/**
 * JSON in printable ASCII on one line, so that no log, terminal or decoder on its way changes it. Some readers of lines
 * also end a line at U+2028 or U+0085, such as `node:readline` of Node.js 24 and Python's `splitlines`.
 */
export function asciiJson(value: object): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, escape);
}
