import { displayWidth, truncateText, visibleText, wrapText } from '../display-text.js';

/** Width of a letter as a share of its height, with a reserve: some sans-serif fonts are wider than others. */
const letter = 0.64;

/** Width of text of this size, estimated, because nothing here can measure fonts. */
export function textWidth(text: string, size: number): number {
  return displayWidth(text) * size * letter;
}

/**
 * Breaks text into lines that fit. If it needs more than `lines`, its end is kept too, because many names differ only
 * there.
 */
export function fitLines(text: string, width: number, size: number, lines: number): string[] {
  const columns = Math.floor(width / (size * letter));
  const line = text.replace(/\s+/g, ' ');
  const whole = wrapText(line, columns);
  if (whole.length <= lines) return whole;
  const tail = truncateText([...visibleText(line)].slice(-Math.floor(columns / 2)).join(''), columns);
  const room = columns * lines - displayWidth(tail) - 1;
  const head = truncateText(line, Math.max(1, room));
  return wrapText(`${head.replace(/…$/, '')}…${tail}`, columns).slice(0, lines);
}
