import { displayWidth, truncateText, visibleText, wrapText } from '../display-text.js';
import { textSizes } from './figure-style.js';

/** Text as XML: names are data. Signs that XML has no place for become the replacement character. */
export function xmlText(text: string): string {
  return visibleText(text)
    .replace(/[\p{Cs}\ufffe\uffff]/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Of a letter, by its height: some sans-serifs are wider than others. */
const letter = 0.6;

/** Width in units of the figure where its text is largest. */
export function textWidth(text: string): number {
  return displayWidth(text) * textSizes.narrow.text * letter;
}

/**
 * Broken into lines that fit; of what is longer than `lines` of them the end stays too, which tells many names apart.
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
