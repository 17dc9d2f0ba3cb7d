import { element } from './element.js';
import { textSize } from './format-number.js';

const longest = 3000;

const hidden = new WeakMap<Element, string>();

/** The text that a button unfolds; undefined for other buttons. */
export function hiddenText(button: Element): string | undefined {
  return hidden.get(button);
}

/**
 * A text. A long text shows its beginning, and a button shows the rest. Line breaks stay. Nothing in it is executed or
 * changes the layout.
 */
export function foldedText(text: string, className: string): HTMLElement {
  if (text === '') return element('div', { class: `${className} empty` }, '(nothing)');
  const body = element('div', { class: className }, visible(text.slice(0, longest)));
  if (text.length <= longest) return body;
  const all = element('button', { type: 'button', class: 'quiet' }, `… show all of ${textSize(text.length)}`);
  hidden.set(all, text.slice(longest));
  all.addEventListener('click', () => {
    body.textContent = visible(text);
    all.remove();
  });
  return element('div', {}, body, all);
}

/** Replaces characters that would reverse or hide the text around them by signs; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
    const code = sign.charCodeAt(0);
    if (sign === '\n' || sign === '\t') return sign;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}
