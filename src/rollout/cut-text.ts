/** The beginning of a text that is too long, and a mark that says how much of it. Never half a surrogate pair. */
export function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest).replace(/[\uD800-\uDBFF]$/u, '');
  return `${head}\n[cut: ${head.length} of ${text.length} characters]`;
}
