import { AgentgymError } from '../errors/agentgym-error.js';
import { isInterruptedPrompt } from '../errors/is-interrupted-prompt.js';

/** Asks on the terminal; returns false without one. Throws AgentgymError AG_INTERRUPTED on Ctrl-C. */
export async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { confirm } = await import('@inquirer/prompts');
  try {
    return await confirm({ message: question, default: false }, { signal, output: process.stderr });
  } catch (error) {
    if (!isInterruptedPrompt(error)) throw error;
    throw new AgentgymError('AG_INTERRUPTED', { message: 'interrupted at a question', cause: error });
  }
}
