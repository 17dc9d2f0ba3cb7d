import type { ActionFormat } from '../contracts/format.js';
import type { ConversationEncoder } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import type { Toolbox } from './toolbox.js';

/**
 * The format as it is played: a format with function calls gets the tools as functions, and the syntax of the model. Any
 * other format stays as it is.
 *
 * @throws AG_PLUGIN_FAILED if the format refuses the tools
 */
export function fitFormat(
  format: ActionFormat,
  { tools, encoder }: { readonly tools?: Toolbox | undefined; readonly encoder?: ConversationEncoder | undefined },
): ActionFormat {
  if (format.withFunctions === undefined) return format;
  try {
    return format.withFunctions(tools?.functions ?? [], encoder?.functionCalls);
  } catch (error) {
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message: `The action format refuses the tools: ${messageOf(error)}`,
      cause: error,
    });
  }
}
