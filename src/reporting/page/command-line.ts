import { element } from './element.js';

/** A command as text, with a button that copies it. */
export function commandLine(label: string, command: string): HTMLElement {
  const text = element('code', command);
  const onclick = () => {
    const select = () => getSelection()?.selectAllChildren(text);
    // If the page may not write to the clipboard, the text is selected so that the reader can copy it.
    if (!('clipboard' in navigator)) return select();
    navigator.clipboard.writeText(command).then(() => {
      copy.textContent = 'Copied';
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    }, select);
  };
  const copy = element('button.quiet', { type: 'button', 'aria-label': `Copy: ${label}`, onclick }, 'Copy');
  return element('div.command', element('span.label.fine', label), text, copy);
}
