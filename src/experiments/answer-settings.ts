// How the answers of a model are read, and how long they may be. A command overrides a run here as it does elsewhere.
import type { ActionFormat } from '../contracts/format.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { Instances, Named } from './instances.js';

export interface AnswerSettings {
  /** Action format of a model. Absent: the run's, or plain. */
  readonly format?: string;
  /** Options of the format. They override those of the run if the format is the same. */
  readonly formatOptions?: { readonly [name: string]: unknown };
  /** Tokens after which an answer of a model is cut. Absent: as in the run, or `usualActionTokens`. */
  readonly maxActionTokens?: number;
}

/** Most tokens of an action of a model that is no run. */
export const usualActionTokens = 64;

/** The format that the command names, or the run's own, or plain. Throws the errors of contributions and options. */
export function chosenFormat(
  { format, formatOptions }: AnswerSettings,
  instances: Instances,
  own: Named = { name: 'plain' },
): Promise<ActionFormat> {
  const { name } = format === undefined ? own : { name: format };
  return instances.format({ name, options: { ...(name === own.name && own.options), ...formatOptions } });
}

/** Throws AG_COMMAND_USAGE if a conversation of the model has no room for the longest answer that is asked for. */
export function refuseLongAnswer({ maxActionTokens = 0 }: AnswerSettings, maxTokens: number): void {
  if (maxActionTokens < maxTokens) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--max-action-tokens ${maxActionTokens}\` leaves no room for a prompt: a conversation of this model has at most ${maxTokens} tokens.`,
    hint: 'Write a smaller number, such as a tenth of that.',
  });
}
