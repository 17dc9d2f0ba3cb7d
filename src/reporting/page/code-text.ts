import { element } from './element.js';

/**
 * The parts of a message in plain text. Text between backticks becomes code, and a number stays on one line with its
 * percent sign.
 */
export function codeText(message: string): (string | HTMLElement)[] {
  const parts = message.replaceAll(/(\d) %/g, '$1\u00a0%').split('`');
  // Without a closing backtick, the last one is text.
  if (parts.length % 2 === 0) parts.splice(-2, 2, `${parts.at(-2)}\`${parts.at(-1)}`);
  return parts.map((part, i) => (i % 2 === 0 ? part : element('code', part)));
}
