import { element, replaceChildren } from './element.js';

/** A key and what it does. */
export interface Shortcut {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

/**
 * Listens for shortcuts, except while the reader types, and returns the dialog that lists them. `list` is called each
 * time.
 */
export function shortcuts(list: () => readonly Shortcut[]) {
  const row = (key: string, does: string) => element('div', element('dt', element('kbd', key)), element('dd', does));
  const close = element('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
  const rows = element('dl');
  const title = element('h2', { id: 'shortcuts-title' }, 'Keys');
  const dialog = element('dialog', { 'aria-labelledby': title.id }, title, rows, close);
  const open = () => {
    if (dialog.open) return;
    replaceChildren(
      rows,
      ...list().map(({ key, does }) => row(key, does)),
      row('?', 'this list'),
      row('← →', 'in a chart: read values; among tokens: the next token'),
      row('↑ ↓', 'in the list: the previous or next episode'),
    );
    dialog.showModal();
  };
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const isTyping = target instanceof HTMLElement && target.matches('input:not([type=radio]), select, textarea');
    if (isTyping || ctrlKey || metaKey || altKey || dialog.open) return;
    const found = key === '?' ? { run: open } : list().find((shortcut) => shortcut.key === key);
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
  return { dialog, open };
}
