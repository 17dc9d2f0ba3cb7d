/** The message of a thrown value. Any value can be thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Why a document of agentgym cannot be read, as a clause that goes on a sentence: messages of errors end with a period, those
 * of the system do not, and JSON.parse speaks of tokens.
 */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof SyntaxError) return 'it is not JSON';
  return messageOf(thrown).replace(/\.$/, '');
}
