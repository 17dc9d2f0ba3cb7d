/** A text shortened for a message, in quotes. */
export function shorten(text: string): string {
  return text.length <= 120
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, 100))}... (${text.length} characters)`;
}
