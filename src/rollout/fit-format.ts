import type { ActionFormat } from '../contracts/format.js';
import type { ConversationEncoder } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { messageOf } from '../errors/message-of.js';
import { withTextActions } from './text-calls.js';
import type { ToolList } from './toolbox.js';

/**
 * The format as it is played: a format with function calls gets the functions, and the syntax of the model. Any other format
 * stays as it is, unless the actions are functions: it then describes them.
 *
 * @throws AG_PLUGIN_FAILED if the format refuses the tools
 */
export function fitFormat(
  format: ActionFormat,
  { tools, encoder }: { readonly tools?: ToolList | undefined; readonly encoder?: ConversationEncoder | undefined },
): ActionFormat {
  const { actions = [] } = tools ?? {};
  if (format.withFunctions === undefined) return actions.length > 0 ? withTextActions(format, actions) : format;
  try {
    return format.withFunctions({ tools: tools?.tools ?? [], actions }, encoder?.functionCalls);
  } catch (error) {
    throw new AgentgymError('AG_PLUGIN_FAILED', {
      message: `The action format refuses the tools: ${messageOf(error)}`,
      cause: error,
    });
  }
}

/** A fitted format for a task that offers other tools. */
export function refitFormat(format: ActionFormat, { tools, actions }: ToolList): ActionFormat {
  return format.withFunctions?.({ tools, actions }) ?? format;
}
