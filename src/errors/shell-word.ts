// Commands that agentgym prints to be copied, and scripts that it writes, have paths and names in them. Each of these
// goes through `shellWord`, so that a shell reads it as one word, whatever it contains.

/** Escapes of bash's `$'...'` that are shorter than a number. */
const named: { readonly [character: string]: string } = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\\': '\\\\',
  "'": "\\'",
};

/**
 * A text as one word of a shell. A text without control characters is a word of every POSIX shell. One with control
 * characters becomes `$'...'`, which bash, zsh and ksh read, so that a line stays a line.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text;
  // oxlint-disable-next-line no-control-regex -- they are what is escaped
  if (!/[\u0000-\u001f\u007f-\u009f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  // oxlint-disable-next-line no-control-regex -- as above
  return `$'${text.replaceAll(/[\u0000-\u001f\u007f-\u009f\\']/g, (character) => named[character] ?? numbered(character))}'`;
}

function numbered(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
