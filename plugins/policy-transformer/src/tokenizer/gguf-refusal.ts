/** The error for a GGUF file that is whole, but says what is not supported. */
export function ggufRefusal(reason: string): Error {
  return new Error(`this GGUF file cannot be read: ${reason}`);
}

/** A value of its metadata, for messages. */
export function shownField(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
