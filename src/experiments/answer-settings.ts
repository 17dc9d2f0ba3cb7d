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

/** The longest answer. Throws AG_COMMAND_USAGE if a conversation of the model has no room for one. */
export function longestAnswer(maxActionTokens: number, maxTokens: number): number {
  if (maxActionTokens < maxTokens) return maxActionTokens;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--max-action-tokens ${maxActionTokens}\` leaves no room for a prompt: a conversation of this model has at most ${maxTokens} tokens.`,
    hint: 'Write a smaller number, such as a tenth of that.',
  });
}

/** Refuses these settings for a player whose texts are actions: a person, a script, an expert, the random player. */
export function refuseAnswerSettings(
  player: string,
  { format, formatOptions = {}, maxActionTokens }: AnswerSettings,
): void {
  const [option] = Object.keys(formatOptions);
  const written =
    format !== undefined
      ? `--format ${format}`
      : option !== undefined
        ? `--format-option ${option}`
        : maxActionTokens !== undefined
          ? `--max-action-tokens ${maxActionTokens}`
          : undefined;
  if (written === undefined) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`${written}\` has no effect: \`${player}\` is not a model.`,
    hint: 'Remove it, or let a run, a folder with a model or a text model play.',
  });
}

/** A text model counts tokens of its own, so only its own option can limit them. */
export function refuseTokenLimit(player: string, { maxActionTokens }: AnswerSettings): void {
  if (maxActionTokens === undefined) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--max-action-tokens ${maxActionTokens}\` has no effect: \`${player}\` is a text model, which limits its answers itself.`,
    hint: `Remove it, and set the limit with a \`--policy-option\`: \`agentgym describe player ${player}\` lists them.`,
  });
}
