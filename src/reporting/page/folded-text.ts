import { element } from './element.js';
import { textSize } from './format-number.js';

const longest = 3000;

/**
 * A text; of a long one the beginning, and the rest behind a button. Line breaks stay; nothing in it is executed or
 * changes the layout.
 */
export function foldedText(text: string, className: string): HTMLElement {
  if (text === '') return element('div', { class: `${className} empty` }, '(nothing)');
  const body = element('div', { class: className }, visible(text.slice(0, longest)));
  if (text.length <= longest) return body;
  const all = element('button', { type: 'button', class: 'quiet' }, `… show all of ${textSize(text.length)}`);
  all.addEventListener('click', () => {
    body.textContent = visible(text);
    all.remove();
  });
  return element('div', {}, body, all);
}

/** Characters that would turn or hide the text around them, as signs; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
    const code = sign.charCodeAt(0);
    if (sign === '\n' || sign === '\t') return sign;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}
