/**
 * True of what inquirer throws on Ctrl-C, which a terminal in raw mode sends as a key, on a closed input, and where its
 * signal is aborted.
 */
export function isInterruptedPrompt(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}
