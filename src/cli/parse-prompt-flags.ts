import type { Interfaces } from '@oclif/core';

import type { PromptSettings } from '../config/recipe-schema.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { promptFlags } from './prompt-flags.js';

/** The values of `promptFlags`. */
type PromptFlags = Interfaces.InferredFlags<typeof promptFlags>;

/** What these flags ask for; undefined if none is given. Throws AG_COMMAND_USAGE for a flag without effect. */
export function askedPrompt(flags: PromptFlags): PromptSettings | undefined {
  const { 'prompt-system': system, 'prompt-examples': count } = flags;
  const { 'prompt-expert': expert, 'prompt-examples-file': file } = flags;
  const source = expert !== undefined ? '--prompt-expert' : file !== undefined ? '--prompt-examples-file' : undefined;
  if (count === 0 && source !== undefined) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `\`${source}\` has no effect with \`--prompt-examples 0\`.`,
      hint: 'Remove one of the two.',
    });
  }
  const examples = {
    ...(expert !== undefined && { expert }),
    ...(file !== undefined && { file }),
    ...(count !== undefined && { count }),
  };
  const hasExamples = Object.keys(examples).length > 0;
  if (system === undefined && !hasExamples) return undefined;
  return { ...(system !== undefined && { system }), ...(hasExamples && { examples }) };
}
