/**
 * True for the errors that inquirer throws on Ctrl-C (which a terminal in raw mode sends as a key), on a closed input,
 * and if its signal is aborted.
 */
export function isInterruptedPrompt(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}
