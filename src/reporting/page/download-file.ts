import { element } from './element.js';

/**
 * Hands a file to the reader: nothing leaves the machine. What a file system may not like in the name becomes a hyphen.
 */
export function downloadFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  element('a', { href: address, download: name.replace(/[^\w.-]+/g, '-') }).click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
