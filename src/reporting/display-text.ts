// The width of a string on a terminal, and a form of any string that is safe to print. Text of models and environments
// is data, and its control sequences must not reach the terminal.

/**
 * Ranges of code points that take two columns: East Asian wide and full-width forms, and emoji (Unicode TR 11,
 * coarsened to blocks).
 */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

const combining = /^[\p{Mn}\p{Me}\p{Cf}]$/u;

/** Columns of text without control characters. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Replaces control characters by visible signs (`␛`); line breaks stay. */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\n') return character;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '␡' : '�';
  });
}

/**
 * Shortens a long text in the middle, because its end is often as useful as its beginning. Never splits a surrogate
 * pair.
 */
export function shortenText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const kept = Math.floor(longest / 2);
  const head = text.slice(0, kept).replace(/[\uD800-\uDBFF]$/u, '');
  const tail = text.slice(-kept).replace(/^[\uDC00-\uDFFF]/u, '');
  return `${head} ... ${tail}`;
}

/** Cuts to a width, with an ellipsis if text is lost. */
export function truncateText(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  return width < 1 ? '' : `${takeColumns(text, width - 1)}…`;
}

/** Pads with spaces on the right, or cuts. */
export function fitText(text: string, width: number): string {
  const cut = truncateText(text, width);
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

/** Breaks text into lines of at most `width` columns, between words if possible. Never returns an empty list. */
export function wrapText(text: string, width: number): string[] {
  return visibleText(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (displayWidth(joined) <= width) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    current = word;
    while (displayWidth(current) > width) {
      // A character that is wider than the column gets a line anyway.
      const head = takeColumns(current, width) || String.fromCodePoint(current.codePointAt(0) ?? 0);
      lines.push(head);
      current = current.slice(head.length);
    }
  }
  return [...lines, current];
}

function takeColumns(text: string, width: number): string {
  let taken = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    taken += character;
  }
  return taken;
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (combining.test(character)) return 0;
  return wide.some(([low, high]) => code >= low && code <= high) ? 2 : 1;
}
