import { element } from './element.js';

/** Saves a file on the reader's machine; nothing is sent. Unsafe characters in the name become hyphens. */
export function downloadFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element('a', { href: address, download: name.replace(/[^\w.-]+/g, '-') }).click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
