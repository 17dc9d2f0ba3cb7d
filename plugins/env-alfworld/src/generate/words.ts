/** The words of a text. */
export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
