/** A text in which the name and the password of every URL are hidden, for messages and files. */
export function hidePasswords(text: string): string {
  return text.replaceAll(/(\w:\/\/)[^\s/@]+@/g, '$1***@');
}
