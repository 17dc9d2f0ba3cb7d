import { parseSetting } from '../config/parse-setting.js';
import { AgentgymError } from '../errors/agentgym-error.js';

/** Parses `--option depths=[1,2]` to options of an environment or, of that flag, a policy or a runner. Throws AG_COMMAND_USAGE. */
export function parseOptions(
  texts: readonly string[],
  flag: '--option' | '--policy-option' | '--runner-option' = '--option',
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
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** Throws AG_COMMAND_USAGE if it is not a temperature. */
export function parseTemperature(text: string): number {
  const temperature = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(temperature) && temperature >= 0) return temperature;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--temperature ${text}\` is not a number of at least 0.`,
    hint: 'Write `--temperature 1`.',
  });
}
