// What an agent's text means.

/** Longer texts are no actions. */
const longest = 200;

const synonyms: ReadonlyMap<string, string> = new Map([
  ['left', 'turn left'],
  ['right', 'turn right'],
  ['forward', 'move forward'],
  ['go forward', 'move forward'],
]);

/** The action in the words of the menu: small letters, single spaces, no full stop, `pickup` in one word. */
export function readHighLevel(text: string): string {
  const words = tidy(text).replace(/^pick up /, 'pickup ');
  return synonyms.get(words) ?? words;
}

const primitives: ReadonlyMap<string, string> = new Map([
  ['turn left', 'left'],
  ['turn right', 'right'],
  ['move forward', 'forward'],
  ['go forward', 'forward'],
  ['pick up', 'pickup'],
]);

/** One of the seven names, or a way to say it; any other text as it is. */
export function readPrimitive(text: string): string {
  const words = tidy(text);
  return primitives.get(words) ?? words;
}

function tidy(text: string): string {
  if (text.length > longest) return '';
  return text.trim().toLowerCase().replace(/\s+/g, ' ').replace(/ ?\.$/, '');
}
