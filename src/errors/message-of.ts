/** The message of a thrown value. Any value can be thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The same as a clause that goes on a sentence: messages of errors end with a period, those of the system do not. */
export function reasonOf(thrown: unknown): string {
  return messageOf(thrown).replace(/\.$/, '');
}
