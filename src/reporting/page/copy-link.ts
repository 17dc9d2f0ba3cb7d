import { element } from './element.js';
import { addressWith, place } from './fragment.js';

/**
 * A button that puts a place of this page into the address, and copies that address. `of`: the values of the place,
 * read at the click; undefined removes one.
 */
export function copyLink(label: string, of: () => { readonly [name: string]: string | undefined }): HTMLButtonElement {
  const tell = (text: string) => {
    copy.textContent = text;
    setTimeout(() => (copy.textContent = 'Link'), 2000);
  };
  const onclick = () => {
    const values = of();
    place(values);
    // A page that may not write to the clipboard has the link in the address bar.
    const show = () => tell('See the address bar');
    if (!('clipboard' in navigator)) return show();
    navigator.clipboard.writeText(addressWith(values)).then(() => tell('Copied'), show);
  };
  const copy = element('button.quiet.save', { type: 'button', 'aria-label': label, title: label, onclick }, 'Link');
  return copy;
}
