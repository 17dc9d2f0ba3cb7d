/** Asks on the terminal; no where there is none. */
export async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { confirm } = await import('@inquirer/prompts');
  return confirm({ message: question, default: false }, { signal, output: process.stderr });
}
