/** The beginning of a text that is too long, and a mark that says how much of it. Never half a surrogate pair. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest).replace(/[\uD800-\uDBFF]$/u, '');
  // A slice keeps all of what it was cut from in memory, for as long as the episode is held.
  const copy = Buffer.from(head, 'utf16le').toString('utf16le');
  return `${copy}\n[cut: ${head.length} of ${text.length} characters]`;
}
