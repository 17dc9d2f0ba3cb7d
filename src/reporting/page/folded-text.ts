import { element } from './element.js';
import { formatBytes } from '../format-quantity.js';
import { visible } from './visible-text.js';

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
  const body = element('div', { class: className }, text.slice(0, longest));
  if (text.length <= longest) return body;
  const unfold = () => {
    body.textContent = visible(text);
    all.remove();
  };
  const attributes = { type: 'button', onclick: unfold };
  const all = element('button.quiet', attributes, `… show all of ${formatBytes(text.length)}`);
  hidden.set(all, text.slice(longest));
  return element('div', body, all);
}
