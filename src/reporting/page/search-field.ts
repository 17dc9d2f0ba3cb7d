import { element } from './element.js';

/** A field for words to search, which the browser neither completes nor corrects. */
export function searchField(label: string, onInput: (typed: string) => void): HTMLInputElement {
  const field = element('input', {
    type: 'search',
    placeholder: label,
    'aria-label': label,
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => onInput(field.value),
  });
  return field;
}
