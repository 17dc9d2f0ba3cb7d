import { Flags } from '@oclif/core';

import { AgentgymError } from '../errors/agentgym-error.js';

const seconds: { readonly [unit: string]: number } = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** An age such as `30d`, in seconds. Throws AG_COMMAND_USAGE for any other text. */
export const ageFlag = Flags.custom<number>({
  helpValue: 'AGE',
  parse: (text) => {
    const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? [];
    if (count !== undefined) return Promise.resolve(Number(count) * (seconds[unit] ?? 0));
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `"${text}" is not an age.`,
      hint: 'Write it as 90m, 12h, 30d or 8w: minutes, hours, days or weeks.',
    });
  },
});
