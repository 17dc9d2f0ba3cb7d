/** Float64 numbers as text, bit for bit, because a resumed run must not differ. */
export function toBase64(numbers: Float64Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('base64');
}

/** The inverse of `toBase64`. */
export function fromBase64(text: string): Float64Array {
  return new Float64Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);
}
