import { element } from './element.js';
import { addressWith, place } from './fragment.js';

/**
 * A button that puts a place of this page into the address, and copies that address. `of`: the values of the place,
 * read at the click; undefined removes one.
 */
export function copyLink(label: string, of: () => { readonly [name: string]: string | undefined }): HTMLButtonElement {
  const copy = element('button.quiet.save', { type: 'button', 'aria-label': label, title: label }, 'Link');
  copy.addEventListener('click', () => {
    const told = (text: string) => {
      copy.textContent = text;
      setTimeout(() => (copy.textContent = 'Link'), 2000);
    };
    const values = of();
    place(values);
    // A page that may not write to the clipboard has the link in the address bar.
    const show = () => told('See the address bar');
    if (!('clipboard' in navigator)) return show();
    navigator.clipboard.writeText(addressWith(values)).then(() => told('Copied'), show);
  });
  return copy;
}
