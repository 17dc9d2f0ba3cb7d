/** The beginning of a text that is too long, with a mark that gives its share. Never splits a surrogate pair. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest).replace(/[\uD800-\uDBFF]$/u, '');
  // A slice would keep the whole text in memory as long as the episode exists.
  const copy = Buffer.from(head, 'utf16le').toString('utf16le');
  return `${copy}\n[cut: ${head.length} of ${text.length} characters]`;
}
