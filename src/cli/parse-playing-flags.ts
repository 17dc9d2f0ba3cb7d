import type { Interfaces } from '@oclif/core';

import { parseSetting } from '../config/parse-setting.js';
import { WrittenValue } from '../config/written-value.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { OpenPlayerRequest } from '../experiments/open-player.js';
import { askedPrompt } from './parse-prompt-flags.js';
import type { playingFlags } from './playing-flags.js';

/** Parses `--option depths=[1,2]` to options of an environment or, of that flag, a policy, a format or a runner. Throws AG_COMMAND_USAGE. */
export function parseOptions(
  texts: readonly string[],
  flag: '--option' | '--policy-option' | '--format-option' | '--runner-option' = '--option',
): { readonly [name: string]: unknown } {
  const entries = texts.map((text): [string, unknown] => {
    const { flag: shown, path, value } = parseSetting(text, flag);
    const [name = '', ...deeper] = path;
    if (deeper.length > 0) {
      throw new AgentgymError('AG_COMMAND_USAGE', {
        message: `\`${shown}\`: the name of an option has no dots.`,
        hint: `Write \`${flag} name=value\`.`,
      });
    }
    return [name, typeof value === 'string' ? value : new WrittenValue(value, text.slice(text.indexOf('=') + 1))];
  });
  return Object.fromEntries(entries);
}

/** Throws AG_COMMAND_USAGE if it is not a temperature. */
function parseTemperature(text: string): number {
  const temperature = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(temperature) && temperature >= 0) return temperature;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--temperature ${text}\` is not a number of at least 0.`,
    hint: 'Write `--temperature 1`.',
  });
}

/** The values of the flags that every command with a player has. */
type PlayingFlags = Interfaces.InferredFlags<typeof playingFlags>;

/** What these flags ask for. Throws AG_COMMAND_USAGE. */
export function playingRequest(
  flags: PlayingFlags,
  host: Pick<OpenPlayerRequest, 'host' | 'settings'>,
): Omit<OpenPlayerRequest, 'policy'> & { readonly episodesPerTask: number } {
  const prompt = askedPrompt(flags);
  return {
    options: parseOptions(flags.option ?? []),
    ...(flags['policy-option'] !== undefined && {
      policyOptions: parseOptions(flags['policy-option'], '--policy-option'),
    }),
    ...(flags.tool !== undefined && { tools: flags.tool }),
    ...(flags.format !== undefined && { format: flags.format }),
    ...(flags['format-option'] !== undefined && {
      formatOptions: parseOptions(flags['format-option'], '--format-option'),
    }),
    ...(flags['max-action-tokens'] !== undefined && { maxActionTokens: flags['max-action-tokens'] }),
    ...(prompt && { prompt }),
    ...(flags.turns !== undefined && { turns: flags.turns }),
    temperature: parseTemperature(flags.temperature),
    episodesPerTask: flags['episodes-per-task'],
    ...host,
    runsFolder: 'runs',
  };
}
