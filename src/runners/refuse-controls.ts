import { AgentgymError } from '../errors/agentgym-error.js';
import { visibleText } from '../reporting/display-text.js';

/**
 * Refuses a text with control characters, such as line breaks. In a file for a scheduler, or in a command to copy, what
 * stands behind one could be read as something else.
 *
 * @param text a path, a name or the value of an option
 * @param who what refuses it, such as "The runner slurm"
 * @throws AG_COMMAND_USAGE
 */
export function refuseControls(text: string, who: string): void {
  if (!/[\p{Cc}\u2028\u2029]/u.test(text)) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `${who} accepts no control characters, such as line breaks, in paths, names and options: ${visibleText(text).replaceAll('\n', '␊')}`,
    hint: 'Choose another `--output` or name without them, or work in another folder.',
  });
}
