import { hiddenText } from './folded-text.js';

const name = 'found';
/** More marks than this do not help a reader. */
const most = 2000;

/**
 * Marks words in the text of an element, and opens folded texts that have one in their hidden part. Marks are ranges of
 * the browser, so the nodes of the text stay as they are. A browser without them shows no marks.
 */
export function highlightWords(root: HTMLElement, words: readonly string[]): void {
  if (!('highlights' in CSS)) return;
  if (words.length === 0) {
    CSS.highlights.delete(name);
    return;
  }
  for (const button of root.querySelectorAll('button')) {
    const hidden = hiddenText(button)?.toLowerCase();
    if (hidden !== undefined && words.some((word) => hidden.includes(word))) button.click();
  }
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? '';
    // A letter whose small form is longer would move the places of all words after it.
    if (text.length !== node.textContent?.length) continue;
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < most; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set(name, new Highlight(...ranges));
}
