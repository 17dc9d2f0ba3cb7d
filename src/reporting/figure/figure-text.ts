import { displayWidth, truncateText, visibleText, wrapText } from '../display-text.js';
import { textSizes } from './figure-style.js';

/** Escapes text for XML, because names are data. Characters that XML forbids become the replacement character. */
export function xmlText(text: string): string {
  return visibleText(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Width of a letter as a share of its height, with a reserve: some sans-serif fonts are wider than others. */
const letter = 0.6;

/** Width in units of the figure at the largest text size. */
export function textWidth(text: string): number {
  return displayWidth(text) * textSizes.narrow.text * letter;
}

/**
 * Breaks text into lines that fit. If it needs more than `lines`, its end is kept too, because many names differ only
 * there.
 */
export function fitLines(text: string, width: number, size: number, lines: number): string[] {
  const columns = Math.floor(width / (size * letter));
  const whole = wrapText(text.replace(/\s+/g, ' '), columns);
  if (whole.length <= lines) return whole;
  const characters = [...visibleText(text)];
  const tail = truncateText(characters.slice(-Math.floor(columns / 2)).join(''), columns);
  const room = columns * lines - displayWidth(tail) - 1;
  const head = truncateText(text, Math.max(1, room));
  return wrapText(`${head.replace(/…$/, '')}…${tail}`, columns).slice(0, lines);
}
